"""Welcome, health, maps, pictures and notifications."""
