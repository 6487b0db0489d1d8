"""Clients of everything outside: mail and messaging platforms. They only translate: no database, no retries."""
