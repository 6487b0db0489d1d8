"""What happened to records, messages and emergencies: one ordered list of events, streamed to open sessions."""
