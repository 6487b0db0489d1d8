"""The operations of this area, apart from the package: the fast lane uses a file of it and none of these."""

from ficha.api.messaging import files, gateway, messages, notifications, platform_account, uploads, webhook

OPERATIONS = (
    messages.operations,
    files.operations,
    uploads.operations,
    platform_account.operations,
    notifications.operations,
)
INBOX = (webhook.inbox_operations,)
WEBHOOK = (webhook.webhook_operations,)
GATEWAY = (gateway.operations,)
