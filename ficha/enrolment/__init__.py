"""Joining and leaving: the only place that knows a person is an account, a record and codes together."""
