"""Welcome, health and maps."""
