"""The medical record: reading, changing, its history, and who else may open it."""
