"""Messages by WhatsApp, files, the platform's webhook and its gateway."""
