"""WhatsApp Cloud: its state, its rules and its Graph API."""
