"""The devices on which people get notifications, and whose they are."""
