"""Chatwoot, the conversation platform: its address, its calls, and what keeps a slow platform from slowing us."""
