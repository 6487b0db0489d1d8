"""Pages of the owner, and the front page."""
