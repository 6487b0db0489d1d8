"""The configuration of Chatwoot: its account, its inbox, and where its webhook goes."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from ficha.sandbox.chatwoot.behaviour import ChatwootBehaviour
from ficha.sandbox.loopback import is_loopback, require_loopback

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings


@dataclass(frozen=True)
class ChatwootConfig:
    """Raises NotLoopback for a webhook on another machine."""

    # Of an administrator of the account. The others who have one are in `agents.py`.
    token: str = "sandbox-chatwoot-token"  # noqa: S105  The sandbox's own.
    account_id: int = 1
    inbox_id: int = 1
    inbox_identifier: str = "sandbox-inbox"
    team_id: int = 1
    # With this key, contacts of the inbox prove who they are.
    hmac_token: str = "inbox-hmac-token"  # noqa: S105
    webhook_secret: str = "sandbox-webhook-secret"  # noqa: S105
    webhook_url: str | None = None
    # Faults with a probability are drawn from this, so that a run can be repeated.
    seed: int = 1
    behaviour: ChatwootBehaviour = field(default_factory=ChatwootBehaviour)

    def __post_init__(self) -> None:
        if self.webhook_url is not None:
            require_loopback(self.webhook_url)

    def as_json(self) -> dict[str, Any]:
        """Everything but the behaviour, which starts with its defaults in another process."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "behaviour"}

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        return cls(
            token=settings.chatwoot_token.get_secret_value(),
            account_id=settings.chatwoot_account_id,
            inbox_id=settings.chatwoot_inbox_id,
            inbox_identifier=settings.chatwoot_inbox_identifier,
            webhook_secret=settings.chatwoot_webhook_secret.get_secret_value(),
            webhook_url=webhook_of(settings),
        )


def webhook_of(settings: "Settings") -> str:
    """Where the service listens on this machine. Its public address may be a name that only others can reach."""
    path = f"{settings.v2}/webhook/chatwoot"
    if is_loopback(settings.public_url):
        return settings.public_url + path
    return f"http://127.0.0.1:{settings.port}{path}"
