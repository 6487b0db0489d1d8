"""The pages of staff and operators."""
