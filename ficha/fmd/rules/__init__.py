"""What a stranger is told, as data: stop signs, advice, conflicts between advice, and codes that need no sign."""
