"""Pages of staff and operators."""
