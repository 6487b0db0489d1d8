"""One record: its sections, people, stickers, drills, reminders, and who sees what."""
