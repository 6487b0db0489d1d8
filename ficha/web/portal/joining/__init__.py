"""The front page, and the ways to a first or a further record."""
