"""The API reference."""
