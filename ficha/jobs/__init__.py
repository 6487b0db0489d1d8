"""Work put aside in the caller's transaction, in a table with leases, and the threads that run it."""
