"""Settings, databases, clock, ids, keys and logs; nothing about medicine."""
