"""A scan becomes an incident; the ladder that reaches the family."""
