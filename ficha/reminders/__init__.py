"""Reminders: as often as an owner wishes, we ask whether what is oldest in the record is still right."""
