"""The steps of an emergency's ladder, and the contacts that were alerted, each with a link of their own to answer."""

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Self

from sqlalchemy import ForeignKey, Index, LargeBinary, String, exists, false, func, select, text
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import ABOUT, AnyEmergency, Emergency, EmergencyState

# The channel of the last step: staff looks after it.
STAFF_CHANNEL = "staff"
TOKEN_BYTES, MARK_BYTES = 16, 6
TOKEN_LENGTH = 22
# A step that is due is taken within a second, and its alert leaves within another: after this long nobody does it.
STALLED = timedelta(minutes=1)
# The longest time that an emergency is held back (the setting alert_quiet_minutes).
LONGEST_HELD = timedelta(minutes=10)


class StepState(StrEnum):
    """How far the alert of a step has come. The words from `accepted` to `read` are those of messages."""

    QUEUED = "queued"
    SENDING = "sending"
    ACCEPTED = "accepted"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    SKIPPED = "skipped"
    SIMULATED = "simulated"


OVER = (StepState.FAILED, StepState.SKIPPED, StepState.SIMULATED)
LEFT = (StepState.ACCEPTED, StepState.SENT, StepState.DELIVERED, StepState.READ)


class ContactAnswer(StrEnum):
    """`dudosa`: she answered, and it is not clear whether she comes. It replaces no clear answer."""

    VOY = "voy"
    NO_PUEDO = "no_puedo"
    UNCLEAR = "dudosa"


class Step(Base):
    """One alert to one contact by one channel. Places are counted from 1 without a gap."""

    __tablename__ = "emergency_steps"
    __table_args__ = (
        Index("ux_emergency_steps_place", "emergency_id", "place", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    emergency_id: Mapped[int] = mapped_column(ForeignKey(Emergency.id))
    place: Mapped[int]
    # The contact's id inside the record; none for the staff queue.
    contact_id: Mapped[str | None] = mapped_column(String(8))
    channel: Mapped[str] = mapped_column(String(10))
    state: Mapped[str] = mapped_column(String(10))
    # Instead of an alert, the contact is asked whether she agrees to get any.
    is_question: Mapped[bool] = mapped_column(default=False, server_default=false())
    # Why it failed or was skipped, in a word.
    reason: Mapped[str | None] = mapped_column(String(40))
    # No foreign key: the messages of a thread may be erased before the emergency is.
    message_id: Mapped[int | None] = mapped_column(BigId, index=True)
    provider_id: Mapped[str | None] = mapped_column(String(255))
    started_at: Mapped[datetime] = mapped_column(Utc)
    due_at: Mapped[datetime | None] = mapped_column(Utc)
    sent_at: Mapped[datetime | None] = mapped_column(Utc)
    delivered_at: Mapped[datetime | None] = mapped_column(Utc)
    read_at: Mapped[datetime | None] = mapped_column(Utc)
    # When the ladder went on from it: it failed, was answered, or its time was over.
    ended_at: Mapped[datetime | None] = mapped_column(Utc)

    def end(self, state: StepState, now: datetime, reason: str | None = None) -> None:
        self.state, self.ended_at, self.reason = state, now, reason


class StepRow(NamedTuple):
    """A step as values: those that were taken, and the one that is being taken, which has no id until it is stored."""

    emergency_id: int
    place: int
    channel: str
    started_at: datetime
    contact_id: str | None = None
    state: str = StepState.QUEUED
    due_at: datetime | None = None
    ended_at: datetime | None = None
    reason: str | None = None
    is_question: bool = False
    id: int = 0
    message_id: int | None = None
    provider_id: str | None = None
    sent_at: datetime | None = None
    delivered_at: datetime | None = None
    read_at: datetime | None = None

    def ended(self, state: StepState, now: datetime, reason: str | None = None) -> Self:
        return self._replace(state=state, ended_at=now, reason=reason)


AnyStep = Step | StepRow


def is_over(step: AnyStep) -> bool:
    return step.ended_at is not None or step.state in OVER


def step_name(step: AnyStep) -> str:
    return f"{ABOUT}{step.emergency_id}:{step.place}"


class CalledContact(Base):
    """A contact of whom a step was taken. `label` is their name and relation, sealed with the record's key."""

    __tablename__ = "emergency_contacts"

    emergency_id: Mapped[int] = mapped_column(ForeignKey(Emergency.id), primary_key=True)
    contact_id: Mapped[str] = mapped_column(String(8), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    label: Mapped[bytes] = mapped_column(LargeBinary)
    called_at: Mapped[datetime] = mapped_column(Utc)
    answer: Mapped[str | None] = mapped_column(String(10))
    answered_at: Mapped[datetime | None] = mapped_column(Utc)
    # How they answered: button, reply or page.
    answered_by: Mapped[str | None] = mapped_column(String(10))
    # When they said that they cannot come after all, by our clock; empty again if they come.
    withdrew_at: Mapped[datetime | None] = mapped_column(Utc)
    # When they last called our number by phone since the alert.
    phoned_at: Mapped[datetime | None] = mapped_column(Utc)
    # The last line of the relay that was queued for them as a message; see relay_sender.py.
    relayed_place: Mapped[int] = mapped_column(server_default=text("0"))


class CalledRow(NamedTuple):
    """The same as values."""

    emergency_id: int
    contact_id: str
    label: bytes
    called_at: datetime
    answer: str | None
    answered_at: datetime | None
    withdrew_at: datetime | None
    phoned_at: datetime | None
    relayed_place: int


class UnsentAlerts(NamedTuple):
    """Alerts that we accepted and that have left to nobody: what whoever runs the service must hear of first."""

    number: int
    # When the oldest of them was accepted.
    since: datetime | None


def unsent_alerts(tx: Transaction) -> UnsentAlerts:
    """Without drills, and without those that staff looks after: one that is held back, or whose contacts are all
    tried."""
    has_left = exists().where(Step.emergency_id == Emergency.id, Step.state.in_(LEFT))
    waiting = select(func.count(), func.min(Emergency.opened_at)).where(
        Emergency.state == EmergencyState.OPEN, Emergency.is_drill.is_(False), Emergency.staff_at.is_(None), ~has_left
    )
    return UnsentAlerts(*tx.orm.execute(waiting).one())


def stalled_since(
    emergency: AnyEmergency, steps: Sequence[AnyStep], called: Iterable[CalledRow], now: datetime
) -> datetime | None:
    """Since when an open emergency waits for its next step, or the alert of the last one for being sent, if that is
    longer than it can take while a worker runs. None while all goes on."""
    if emergency.state != EmergencyState.OPEN or emergency.is_drill:
        return None
    since = _waits_since(emergency, steps[-1] if steps else None)
    if since is None:
        return None
    since = max([since, *(each.withdrew_at for each in called if each.withdrew_at is not None)])
    return since if now - since > STALLED else None


def _waits_since(emergency: AnyEmergency, last: AnyStep | None) -> datetime | None:
    if last is None:
        # A job that holds it back calls staff to it.
        return emergency.opened_at + (LONGEST_HELD if emergency.staff_at is not None else timedelta())
    if last.state == StepState.QUEUED and last.ended_at is None:
        return last.started_at
    return None if last.channel == STAFF_CHANNEL else last.ended_at or last.due_at


@dataclass(frozen=True)
class ContactName:
    """Both empty where they could not be read."""

    nombre: str
    relacion: str


def sealed_name(key: bytes, emergency_id: int, contact: Contact) -> bytes:
    """What `name_of_contact` opens."""
    plain = json.dumps([contact.nombre, contact.relacion], ensure_ascii=False)
    return seal(key, plain.encode(), _sealing_context(emergency_id, contact.id))


def name_of_contact(key: bytes, called: CalledContact | CalledRow) -> ContactName:
    context = _sealing_context(called.emergency_id, called.contact_id)
    try:
        return ContactName(*json.loads(unseal(key, called.label, context)))
    except Tampered:
        return ContactName("", "")


def token_for(secrets: Secrets, emergency_id: int, contact_id: str) -> str:
    """The same each time, so that every alert to this contact carries the same link. It is made from the service's
    own secret, so nobody else can make it, and only its hash is stored."""
    digest = secrets.keyed_hash("emergency-link", f"{emergency_id}:{contact_id}")[:TOKEN_BYTES]
    return urlsafe_b64encode(digest).decode().rstrip("=")


def link_for(secrets: Secrets, emergency_id: int, contact_id: str, channel: str) -> str:
    """The contact's token, and a mark of the channel by which this link was sent: whoever answers by it reads there."""
    return token_for(secrets, emergency_id, contact_id) + _channel_mark(secrets, emergency_id, contact_id, channel)


def split_link(link: str) -> tuple[str, str]:
    """Token and mark."""
    return link[:TOKEN_LENGTH], link[TOKEN_LENGTH:]


def channel_of_mark(
    secrets: Secrets, emergency_id: int, contact_id: str, mark: str, channels: Iterable[str]
) -> str | None:
    """None if no link of these channels has this mark."""
    given = mark.encode("utf-8", "surrogatepass")
    return next(
        (
            channel
            for channel in channels
            if hmac.compare_digest(_channel_mark(secrets, emergency_id, contact_id, channel).encode(), given)
        ),
        None,
    )


def _channel_mark(secrets: Secrets, emergency_id: int, contact_id: str, channel: str) -> str:
    digest = secrets.keyed_hash("emergency-link-channel", f"{emergency_id}:{contact_id}:{channel}")[:MARK_BYTES]
    return urlsafe_b64encode(digest).decode()


def _sealing_context(emergency_id: int, contact_id: str) -> str:
    return f"emergency:{emergency_id}:contact:{contact_id}"
