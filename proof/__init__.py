"""Proof: the service on a highly available PostgreSQL, under load, while something is broken again and again."""
