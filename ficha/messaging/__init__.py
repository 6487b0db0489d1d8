"""Messages asked for, delivered, answered."""
