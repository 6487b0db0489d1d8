"""The addresses that events are told to: who registered each, for which kinds, its secrets, and its signature. Those
without an institution are of our own staff."""

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import BigInteger, ForeignKey, Integer, LargeBinary, String, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.tokens import Caller
from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.channels.public_files import NotPublic
from ficha.channels.webhook_calls import refuse_private
from ficha.core.db import Base, BigId, Json, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.ids import random_text
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.events.events import EventPosition
from ficha.events.statements import newest
from ficha.institutions.institution import Institution, InstitutionUnknown

KIND = "webhook"
LONGEST_URL = 500
MOST_OF_ONE = 10
SECRET_LETTERS = 40
# After a rotation both secrets sign for so long.
OVERLAP = timedelta(hours=24)
# How long a registration waits for the name of the address to be looked up.
LOOKUP_SECONDS = 2.0


class WebhookKind(NamedTuple):
    """A kind of event that makes sense outside; `events/kinds.py` says what it means."""

    for_staff: bool
    for_institutions: bool


# What each may see where it is kept: staff and institutions emergencies, institutions the record itself. Who opened a
# record or was given access to it is its owner's alone; drills are told to nobody.
WEBHOOK_KINDS: Mapping[str, WebhookKind] = {
    "emergency.opened": WebhookKind(True, True),
    "emergency.changed": WebhookKind(True, True),
    "record.changed": WebhookKind(False, True),
    "message.received": WebhookKind(True, False),
    "codes.decoy_touched": WebhookKind(True, False),
    "codes.typed_by_one_address": WebhookKind(True, False),
}


class Webhook(Base):
    __tablename__ = "webhooks"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # None: of our own staff.
    institution_id: Mapped[int | None] = mapped_column(ForeignKey(Institution.id, ondelete="CASCADE"), index=True)
    url: Mapped[str] = mapped_column(String(LONGEST_URL))
    kinds: Mapped[list[str]] = mapped_column(Json)
    is_active: Mapped[bool]
    sealed_secret: Mapped[bytes] = mapped_column(LargeBinary)
    # The one before, which signs beside it until then.
    sealed_before: Mapped[bytes | None] = mapped_column(LargeBinary)
    before_until: Mapped[datetime | None] = mapped_column(Utc)
    # The last event that was looked at for it.
    after_xid: Mapped[int] = mapped_column(BigInteger)
    after_id: Mapped[int] = mapped_column(BigId)
    # Calls that failed since the last good one, and until when it is left alone because of them.
    failures: Mapped[int] = mapped_column(Integer)
    rests_until: Mapped[datetime | None] = mapped_column(Utc)
    created_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def position(self) -> EventPosition:
        return EventPosition(self.after_xid, self.after_id)

    @position.setter
    def position(self, position: EventPosition) -> None:
        self.after_xid, self.after_id = position

    @property
    def shown_url(self) -> str:
        """For others than who registered it: what follows the question mark is often a secret."""
        return self.url.partition("?")[0]


class WebhookAddressRefused(FichaError):
    status = 422
    code = "direccion_no_permitida"
    message = "Indique una dirección https de internet, sin usuario ni fragmento; no sirve la de una red privada."
    source = Source("pointer", "/url")


class KindNotTold(FichaError):
    status = 422
    code = "tipo_de_evento_no_permitido"
    message = "Elija al menos un tipo de evento, y solo de los que se le pueden contar a usted."
    source = Source("pointer", "/kinds")


class TooManyWebhooks(FichaError):
    status = 409
    code = "demasiados_webhooks"
    message = f"Ya hay {MOST_OF_ONE} direcciones registradas. Borre alguna que no use."


def institution_id_of(tx: Transaction, caller: Caller) -> int | None:
    """For whom the caller registers: her institution, or None for our own staff; the door has seen that she is one of
    them. Raises InstitutionUnknown if the institution is closed."""
    if not caller.acts_for_institution:
        return None
    is_hers = (Institution.account_id == caller.account_id) & Institution.is_active
    found = tx.orm.scalar(select(Institution.id).where(is_hers))
    if found is None:
        raise InstitutionUnknown
    return found


def check_address(url: str, settings: Settings) -> None:
    """Raises WebhookAddressRefused. It asks the name server, so no transaction may be open."""
    try:
        parts = urlsplit(url)
        is_plain = bool(parts.hostname) and "@" not in parts.netloc and "#" not in url and parts.port != 0
        if not is_plain or not url.isascii() or not url.isprintable() or " " in url:
            raise WebhookAddressRefused
        refuse_private(url, seconds=LOOKUP_SECONDS, **allowed_by(settings))
    except (NotPublic, ValueError):
        raise WebhookAddressRefused from None


def allowed_by(settings: Settings) -> dict[str, bool]:
    """Which addresses besides public ones with TLS may be called."""
    allows_private = settings.webhook_private
    return {"allows_private": allows_private, "allows_http": allows_private and not settings.in_production}


def register_webhook(
    tx: Transaction,
    secrets: Secrets,
    institution_id: int | None,
    url: str,
    kinds: Sequence[str],
    actor: Actor,
    now: datetime,
) -> tuple[Webhook, str]:
    """The webhook and its secret, which is known only now. It is told what happens from here on. The address was
    checked. Raises KindNotTold or TooManyWebhooks."""
    chosen = _checked_kinds(institution_id, kinds)
    if (tx.orm.scalar(select(func.count()).where(_is_of(institution_id))) or 0) >= MOST_OF_ONE:
        raise TooManyWebhooks
    after_xid, after_id = newest(tx)
    hook = Webhook(
        institution_id=institution_id,
        url=url,
        kinds=chosen,
        is_active=True,
        sealed_secret=b"",
        after_xid=after_xid,
        after_id=after_id,
        failures=0,
        created_at=now,
    )
    tx.orm.add(hook)
    tx.orm.flush()
    secret = _new_secret(hook, secrets)
    _note(tx, hook, "registered", actor, now, after=_values(hook))
    return hook, secret


def webhook_with(tx: Transaction, institution_id: int | None, webhook_id: int, *, locks: bool = False) -> Webhook:
    """Raises NotFound, also for somebody else's."""
    query = select(Webhook).where(Webhook.id == webhook_id, _is_of(institution_id))
    found = tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()
    if found is None:
        raise NotFound
    return found


def webhooks_of(tx: Transaction, institution_id: int | None, *, after: int, limit: int) -> Sequence[Webhook]:
    """By number above `after`."""
    query = select(Webhook).where(_is_of(institution_id), Webhook.id > after)
    return tx.orm.scalars(query.order_by(Webhook.id).limit(limit)).all()


def change_webhook(
    tx: Transaction,
    hook: Webhook,
    actor: Actor,
    now: datetime,
    *,
    is_active: bool | None = None,
    kinds: Sequence[str] | None = None,
) -> None:
    """What happens while it is not active is never told. Raises KindNotTold."""
    before = _values(hook)
    if kinds is not None:
        hook.kinds = _checked_kinds(hook.institution_id, kinds)
    if is_active is not None and is_active != hook.is_active:
        hook.is_active = is_active
        if is_active:
            hook.position, hook.failures, hook.rests_until = newest(tx), 0, None
    if _values(hook) != before:
        _note(tx, hook, "changed", actor, now, before=before, after=_values(hook))


def rotate_secret(tx: Transaction, secrets: Secrets, hook: Webhook, actor: Actor, now: datetime) -> str:
    """A new secret, which is known only now; the old one signs beside it for a day."""
    hook.sealed_before, hook.before_until = hook.sealed_secret, now + OVERLAP
    _note(tx, hook, "secret_rotated", actor, now)
    return _new_secret(hook, secrets)


def delete_webhook(tx: Transaction, hook: Webhook, actor: Actor, now: datetime) -> None:
    """With all that was delivered or waits for it."""
    _note(tx, hook, "deleted", actor, now, before=_values(hook))
    tx.orm.flush()
    tx.orm.execute(delete(Webhook).where(Webhook.id == hook.id))


def signing_secrets(hook: Webhook, secrets: Secrets, now: datetime) -> list[bytes]:
    """The newest first."""
    sealed = [hook.sealed_secret]
    if hook.sealed_before is not None and hook.before_until is not None and now < hook.before_until:
        sealed.append(hook.sealed_before)
    return [secrets.unseal(KIND, each, _bound_to(hook)) for each in sealed]


def signature(secrets: Sequence[bytes], seconds: int, body: bytes) -> str:
    """`t=…,v1=…`, with a `v1` for each secret: HMAC-SHA256 over the time, a point, and the bytes of the body."""
    signed = f"{seconds}.".encode() + body
    return ",".join([f"t={seconds}", *(f"v1={hmac.new(each, signed, hashlib.sha256).hexdigest()}" for each in secrets)])


def _is_of(institution_id: int | None) -> Any:
    return Webhook.institution_id == institution_id  # SQLAlchemy writes IS NULL for None.


def kinds_for(institution_id: int | None) -> set[str]:
    """What may be told to an institution, or to our own staff."""
    if institution_id is None:
        return {kind for kind, told in WEBHOOK_KINDS.items() if told.for_staff}
    return {kind for kind, told in WEBHOOK_KINDS.items() if told.for_institutions}


def _checked_kinds(institution_id: int | None, kinds: Sequence[str]) -> list[str]:
    if not kinds or not kinds_for(institution_id).issuperset(kinds):
        raise KindNotTold
    return sorted(set(kinds))


def _new_secret(hook: Webhook, secrets: Secrets) -> str:
    secret = f"whsec_{random_text(SECRET_LETTERS)}"
    hook.sealed_secret = secrets.seal(KIND, secret.encode(), _bound_to(hook))
    return secret


def _bound_to(hook: Webhook) -> str:
    return f"{KIND}:{hook.id}"


def _values(hook: Webhook) -> dict[str, Any]:
    return {"url": hook.shown_url, "kinds": list(hook.kinds), "is_active": hook.is_active}


def _note(
    tx: Transaction, hook: Webhook, action: str, actor: Actor, now: datetime, **values: Mapping[str, Any]
) -> None:
    note_change(tx, actor, KIND, hook.id, action, now, **values)
