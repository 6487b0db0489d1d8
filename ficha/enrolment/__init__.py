"""Joining and leaving: an account, its record and its codes are created and erased together here."""
