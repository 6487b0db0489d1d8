"""Emergencies, and the stream of events."""
