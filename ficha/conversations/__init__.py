"""The help desk joined to our threads: what people write goes to the desk, what agents answer goes to the people."""
