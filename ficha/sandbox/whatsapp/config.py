"""The configuration of WhatsApp: who the business is, and where notifications go."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from ficha.sandbox.loopback import is_loopback, require_loopback
from ficha.sandbox.whatsapp.behaviour import Behaviour

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings


@dataclass(frozen=True)
class WhatsAppConfig:
    """Raises NotLoopback for a webhook on another machine."""

    token: str = "sandbox-token"  # noqa: S105  The sandbox's own.
    phone_number_id: str = "106540352242922"
    display_phone_number: str = "+1 555-078-3881"
    verified_name: str = "Ficha"
    business_id: str = "102290129340398"
    app_id: str = "634974688087057"
    app_secret: str = "sandbox-app-secret"  # noqa: S105
    verify_token: str = "sandbox-verify-token"  # noqa: S105
    webhook_url: str | None = None
    # A second number of the business, not verified yet: for going through verification and registration.
    new_phone_number_id: str = "106540352242999"
    new_display_phone_number: str = "+1 555-010-0199"
    # The service's own address, which the buttons of the templates link to.
    base_url: str = "http://127.0.0.1:8000"
    # Faults with a probability are drawn from this, so that a run can be repeated.
    seed: int = 1
    behaviour: Behaviour = field(default_factory=Behaviour)

    def __post_init__(self) -> None:
        if self.webhook_url is not None:
            require_loopback(self.webhook_url)

    def as_json(self) -> dict[str, Any]:
        """Everything but the behaviour, which starts with its defaults in another process."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "behaviour"}

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        return cls(
            token=settings.whatsapp_token.get_secret_value(),
            phone_number_id=settings.whatsapp_phone_number_id,
            business_id=settings.whatsapp_business_id,
            app_id=settings.whatsapp_app_id,
            app_secret=settings.whatsapp_app_secret.get_secret_value(),
            verify_token=settings.whatsapp_verify_token.get_secret_value(),
            webhook_url=webhook_of(settings),
            base_url=settings.public_url,
        )


def webhook_of(settings: "Settings") -> str:
    """Where the service listens on this machine. Its public address may be a name that only others can reach."""
    path = f"{settings.v2}/webhook/{settings.messaging_channel}"
    if is_loopback(settings.public_url):
        return settings.public_url + path
    return f"http://127.0.0.1:{settings.port}{path}"
