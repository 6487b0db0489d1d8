"""The conversation platform, passed through: contacts, conversations, labels, messages and attachments."""
