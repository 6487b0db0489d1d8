"""JSON operations, a folder per area. An operation turns a request into a call and its result into an answer."""
