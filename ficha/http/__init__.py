"""What api/ and web/ share: the frame around each request, callers, limits, errors, idempotency, event streams."""
