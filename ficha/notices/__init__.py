"""Notices to owners: who opened their record, when, and from which network."""
