"""Institutions that enrol people: their service account, the people who work there, their members, and consent."""
