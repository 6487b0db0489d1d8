"""Small real HTTP servers that behave like the outside platforms, for development and tests."""
