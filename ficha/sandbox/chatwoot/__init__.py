"""Chatwoot: its application API, its public API, its webhooks, and control operations for the agents who use it."""
