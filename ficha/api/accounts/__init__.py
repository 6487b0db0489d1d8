"""Accounts, sessions, and verifying a correo or a phone."""
