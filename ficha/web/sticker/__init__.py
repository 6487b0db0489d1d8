"""The doors a stranger comes in by, and the page behind a contact's link."""
