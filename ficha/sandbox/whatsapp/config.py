"""The configuration of WhatsApp: who the business is, and where notifications go."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from ficha.sandbox.platform_config import PlatformConfig, webhook_of
from ficha.sandbox.whatsapp.behaviour import Behaviour

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings


@dataclass(frozen=True, kw_only=True)
class WhatsAppConfig(PlatformConfig):
    token: str = "sandbox-token"  # noqa: S105  The sandbox's own.
    phone_number_id: str = "106540352242922"
    display_phone_number: str = "+1 555-078-3881"
    verified_name: str = "Ficha"
    business_id: str = "102290129340398"
    app_id: str = "634974688087057"
    app_secret: str = "sandbox-app-secret"  # noqa: S105
    verify_token: str = "sandbox-verify-token"  # noqa: S105
    # A second number of the business, not verified yet: for going through verification and registration.
    new_phone_number_id: str = "106540352242999"
    new_display_phone_number: str = "+1 555-010-0199"
    # The service's own address, which the buttons of the templates link to.
    base_url: str = "http://127.0.0.1:8000"
    behaviour: Behaviour = field(default_factory=Behaviour)

    @classmethod
    def of(cls, settings: "Settings") -> Self:
        return cls(
            token=settings.whatsapp_token.get_secret_value(),
            phone_number_id=settings.whatsapp_phone_number_id,
            business_id=settings.whatsapp_business_id,
            app_id=settings.whatsapp_app_id,
            app_secret=settings.whatsapp_app_secret.get_secret_value(),
            verify_token=settings.whatsapp_verify_token.get_secret_value(),
            webhook_url=webhook_of(settings, settings.messaging_channel),
            base_url=settings.public_url,
        )
