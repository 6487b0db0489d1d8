"""Demo people with accounts, records and stickers, to try the service on a laptop."""
