"""The ground floor: settings, databases, time, ids, keys and logs. Nothing here knows about medicine."""
