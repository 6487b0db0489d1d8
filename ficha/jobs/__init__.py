"""Work put aside in the caller's transaction, and who runs it: one face, an engine for each database."""
