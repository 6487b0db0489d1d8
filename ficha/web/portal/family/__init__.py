"""The family as cards, and what happens to it now."""
