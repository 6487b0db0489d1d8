"""Work put aside in the caller's transaction, and what runs it: one interface, an engine for each database."""
