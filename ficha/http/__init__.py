"""What api/ and web/ share: callers, limits, the envelope, errors, idempotency, files, event streams."""
