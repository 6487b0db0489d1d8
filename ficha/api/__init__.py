"""HTTP and JSON, one file per resource. An operation turns a request into a call and its result into an answer."""
