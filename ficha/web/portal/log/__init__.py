"""Who looked and who changed what, and what to do when it was not oneself."""
