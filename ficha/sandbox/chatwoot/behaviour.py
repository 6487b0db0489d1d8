"""How Chatwoot behaves: its limits and the times of its webhooks, which can be changed while it runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ChatwootBehaviour:
    """How the platform behaves; `PUT /_sandbox/chatwoot/behaviour` changes it while it runs. A limit that is None is
    switched off."""

    requests_per_minute: int | None = 3000
    searches_per_minute: int | None = 100
    uploads_per_hour: int | None = 60
    messages_per_minute: int | None = 200
    # How long a webhook may take to answer. There is no second attempt.
    webhook_seconds: float = 5
    # Older releases sign nothing.
    signs_webhooks: bool = True
    wrong_signature: bool = False
    webhook_copies: int = 1
