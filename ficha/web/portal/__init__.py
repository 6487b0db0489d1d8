"""The pages of the owner, and the front page."""
