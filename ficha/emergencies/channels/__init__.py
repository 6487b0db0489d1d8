"""The channels of the ladder: one file each, listed in `catalog.py`."""
