"""WhatsApp Cloud as a small real HTTP server, for development and tests."""
