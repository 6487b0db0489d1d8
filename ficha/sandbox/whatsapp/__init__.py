"""WhatsApp Cloud: its Graph API, its webhooks, and control operations for the people who use it."""
