"""A scan becomes an emergency, and the ladder alerts the family step by step until somebody answers."""
