"""Figures: each day of the service for the console, what records of an institution lack, what is published by month."""
