"""WhatsApp Cloud, by the platform's own API."""
