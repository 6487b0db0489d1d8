"""Attacks as code: each is small with the other tests, and at full size with FICHA_STORM=1."""
