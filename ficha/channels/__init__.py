"""The outside world. A channel translates and nothing more: no database, no retries."""
