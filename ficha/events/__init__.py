"""What happened, for whoever is watching: one ordered list, streamed to sessions."""
