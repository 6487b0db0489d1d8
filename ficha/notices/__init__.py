"""Owners are told who opened their record."""
