"""The configuration of a sandbox: what all its platforms share, and a part for each of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from ficha.sandbox.chatwoot.config import ChatwootConfig
from ficha.sandbox.whatsapp.config import WhatsAppConfig

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings


def system_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class SandboxConfig:
    """Port 0 means any free port. In `folder` the state is kept, if there is one. `is_demo`: it begins with what the
    examples of the reference name."""

    port: int = 0
    folder: str | None = None
    is_demo: bool = False
    clock: Callable[[], datetime] = system_now
    whatsapp: WhatsAppConfig = field(default_factory=WhatsAppConfig)
    chatwoot: ChatwootConfig = field(default_factory=ChatwootConfig)

    @classmethod
    def of(cls, settings: "Settings", *, is_demo: bool = False) -> Self:
        return cls(
            port=settings.sandbox_port,
            is_demo=is_demo,
            folder=str(settings.data_dir / "sandbox"),
            whatsapp=WhatsAppConfig.of(settings),
            chatwoot=ChatwootConfig.of(settings),
        )

    def as_json(self) -> dict[str, Any]:
        """Everything that another process needs; its clock is always the machine's."""
        parts = {"whatsapp": self.whatsapp.as_json(), "chatwoot": self.chatwoot.as_json()}
        return {"port": self.port, "folder": self.folder, "is_demo": self.is_demo, **parts}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        return cls(
            port=given["port"],
            folder=given["folder"],
            is_demo=given["is_demo"],
            whatsapp=WhatsAppConfig(**given["whatsapp"]),
            chatwoot=ChatwootConfig(**given["chatwoot"]),
        )
