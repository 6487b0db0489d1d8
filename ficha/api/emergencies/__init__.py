"""Emergencies, and the stream of events."""

from ficha.api.emergencies import emergencies, events

OPERATIONS = (emergencies.operations, events.operations)
