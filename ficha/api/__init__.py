"""JSON operations, a folder per area: each turns a request into a call of the domain and its result into an answer."""
