"""Messaging platforms: each translates between its own words and ours, and nothing more."""
