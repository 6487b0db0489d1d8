"""What a sandbox is told when it starts, and what may be changed while it runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    # Reading them costs more than the whole sandbox; a service that starts one has read them already.
    from ficha.core.settings import Settings

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})

StatusPlan = Literal["normal", "read_only", "reordered", "duplicates", "none"]


class NotLoopback(ValueError):
    """The sandbox talks to this machine only."""


class BadBehaviour(ValueError):
    """The platform cannot behave like that."""


def system_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Behaviour:
    """How the platform behaves; `PUT /_sandbox/behaviour` changes it while it runs."""

    # Statuses: seconds after acceptance, as the wall clock counts them.
    statuses: StatusPlan = "normal"
    sent_seconds: float = 0.05
    delivered_seconds: float = 0.15
    read_seconds: float = 0.3
    auto_read: bool = False
    # Outside the window: a failed status later (as seen), or HTTP 400 at once (as the error table allows).
    window_refuses_at_once: bool = False
    window_hours: float = 24
    # What becomes of messages to these numbers or user ids: a failed status with that code, or an error at once.
    fails: Mapping[str, int] = field(default_factory=dict)
    refuses: Mapping[str, int] = field(default_factory=dict)
    # Who may be written to; None is everybody. A test number of the platform knows five at most.
    allowed: tuple[str, ...] | None = None
    # Limits. None switches one off.
    per_second: int | None = 80
    pair_burst: int | None = 45
    pair_seconds: float = 6
    management_per_hour: int | None = 5000
    # 4 and 130429 are 400 in the platform's table and 429 in its OpenAPI document: both were seen.
    limit_status: Literal[400, 429] = 400
    # Notifications.
    with_user_ids: bool = True
    contacts_in_failed: bool = False
    webhook_retries: tuple[float, ...] = (0, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 600)
    webhook_seconds: float = 10
    webhook_copies: int = 1
    batch_seconds: float = 0
    wrong_signature: bool = False
    # Templates made through the API are reviewed this fast; None leaves them pending.
    review_seconds: float | None = 0.2

    def changed(self, values: Mapping[str, Any]) -> "Behaviour":
        from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  Most sandboxes never need it: memory.

        known = {each.name for each in fields(self)}
        if unknown := sorted(set(values) - known):
            raise BadBehaviour(f"Unknown: {', '.join(unknown)}. Known: {', '.join(sorted(known))}.")
        try:
            return TypeAdapter(Behaviour).validate_python({name: getattr(self, name) for name in known} | dict(values))
        except ValidationError as fault:
            raise BadBehaviour("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in fault.errors())) from None


@dataclass(frozen=True)
class SandboxConfig:
    """Who the business is, and where it is told what happens."""

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
    base_url: str = "http://127.0.0.1:8000"
    port: int = 0
    # Chaos is repeatable: probabilities of faults are drawn from this.
    seed: int = 1
    clock: Callable[[], datetime] = system_now
    behaviour: Behaviour = field(default_factory=Behaviour)

    def __post_init__(self) -> None:
        if self.webhook_url is not None:
            require_loopback(self.webhook_url)

    def plain(self) -> dict[str, Any]:
        """What another process needs to be told: everything but the clock and the behaviour, which start as usual."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in ("clock", "behaviour")}

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
            port=settings.sandbox_port,
        )


def webhook_of(settings: "Settings") -> str:
    """Where the service listens on this machine. Its public address may be a name that only others can reach."""
    path = f"{settings.v2}/webhook/{settings.messaging_channel}"
    if is_loopback(settings.public_url):
        return settings.public_url + path
    return f"http://127.0.0.1:{settings.port}{path}"


def is_loopback(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def require_loopback(url: str) -> str:
    if not is_loopback(url):
        raise NotLoopback(f"{url} is not an http:// address of this machine.")
    return url
