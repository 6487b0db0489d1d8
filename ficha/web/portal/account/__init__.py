"""Logging in and one's own account: clave, second factors, sessions, notifications."""
