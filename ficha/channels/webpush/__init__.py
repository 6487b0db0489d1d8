"""Notifications on people's own devices, by the push services of their browsers."""
