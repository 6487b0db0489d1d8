"""Proof: the service on a highly available PostgreSQL of this machine, under load, with something broken again and again."""
