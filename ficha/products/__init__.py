"""Codes and tags: issuing, states, and decoys that reveal who guesses codes."""
