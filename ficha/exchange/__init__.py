"""The record in the words of others, and theirs for it: summaries, Health Cards, Health Links, and what is imported."""
