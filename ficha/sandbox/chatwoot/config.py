"""The configuration of Chatwoot: its account, its inbox, and where its webhook goes."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from ficha.sandbox.chatwoot.behaviour import ChatwootBehaviour
from ficha.sandbox.platform_config import PlatformConfig, webhook_of

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings


@dataclass(frozen=True, kw_only=True)
class ChatwootConfig(PlatformConfig):
    # Of an administrator of the account. The others who have one are in `agents.py`.
    token: str = "sandbox-chatwoot-token"  # noqa: S105  The sandbox's own.
    account_id: int = 1
    inbox_id: int = 1
    inbox_identifier: str = "sandbox-inbox"
    team_id: int = 1
    # With this key, contacts of the inbox prove who they are.
    hmac_token: str = "inbox-hmac-token"  # noqa: S105
    webhook_secret: str = "sandbox-webhook-secret"  # noqa: S105
    behaviour: ChatwootBehaviour = field(default_factory=ChatwootBehaviour)

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        return cls(
            token=settings.chatwoot_token.get_secret_value(),
            account_id=settings.chatwoot_account_id,
            inbox_id=settings.chatwoot_inbox_id,
            inbox_identifier=settings.chatwoot_inbox_identifier,
            webhook_secret=settings.chatwoot_webhook_secret.get_secret_value(),
            webhook_url=webhook_of(settings, "chatwoot"),
        )
