"""Who saw or changed what in a record: an append-only log whose entries are chained by hashes."""
