"""The settings in groups, a file for each subject; `core/settings.py` joins them."""
