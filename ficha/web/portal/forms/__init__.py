"""The forms of the record's models, drawn from their classes."""
