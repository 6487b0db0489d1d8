"""Accounts, sessions, and proving a mailbox or a phone."""
