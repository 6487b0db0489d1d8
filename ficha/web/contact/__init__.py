"""The page of a contact who was alerted."""
