"""What the configurations of all platforms have: where notifications go, and how chance is repeated."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ficha.sandbox.loopback import is_loopback, require_loopback

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings


@dataclass(frozen=True, kw_only=True)
class PlatformConfig:
    """Raises NotLoopback for a webhook on another machine."""

    webhook_url: str | None = None
    # Faults with a probability are drawn from this, so that a run can be repeated.
    seed: int = 1

    def __post_init__(self) -> None:
        if self.webhook_url is not None:
            require_loopback(self.webhook_url)

    def as_json(self) -> dict[str, Any]:
        """Everything but the behaviour, which starts with its defaults in another process."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "behaviour"}


def webhook_of(settings: "Settings", channel: str) -> str:
    """Where the service listens on this machine. Its public address may be a name that only others can reach."""
    path = f"{settings.v2}/webhook/{channel}"
    if is_loopback(settings.public_url):
        return settings.public_url + path
    return f"http://127.0.0.1:{settings.port}{path}"
