"""The conversation platform, passed through: contacts, conversations, labels, messages and attachments."""

from ficha.api.conversations import attachments, contacts, conversations, public, webhook

OPERATIONS = (public.operations, contacts.operations, conversations.operations, attachments.operations)
WEBHOOK = (webhook.operations,)
