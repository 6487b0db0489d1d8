"""The steps of an emergency's ladder, and the contacts that were alerted, each with a link of their own to answer."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Table, false, insert, select, text
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import Contact
from ficha.emergencies.emergency import Emergency

TOKEN_BYTES, MARK_BYTES = 16, 6
TOKEN_LENGTH = 22


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


class ContactAnswer(StrEnum):
    """`dudosa`: she answered, and it is not clear whether she comes. It replaces no clear answer."""

    VOY = "voy"
    NO_PUEDO = "no_puedo"
    UNCLEAR = "dudosa"


class StepRules:
    """What follows from the columns of a step, however it was read."""

    emergency_id: Any
    place: Any
    state: Any
    ended_at: Any
    reason: Any

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None or self.state in OVER

    @property
    def name(self) -> str:
        return f"emergencia:{self.emergency_id}:{self.place}"

    def end(self, state: StepState, now: datetime, reason: str | None = None) -> None:
        self.state, self.ended_at, self.reason = state, now, reason


@dataclass
class NewStep(StepRules):
    """A step that is being taken, as values. Its channel may end it, or set `message_id`."""

    emergency_id: int
    place: int
    channel: str
    started_at: datetime
    contact_id: str | None = None
    state: str = StepState.QUEUED
    due_at: datetime | None = None
    id: int = 0
    message_id: int | None = None
    is_question: bool = False
    ended_at: datetime | None = None
    reason: str | None = None


class Step(StepRules, Base):
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


INSERT_CALLED = Prepared(
    insert(cast(Table, CalledContact.__table__)), ["emergency_id", "contact_id", "token_hash", "label", "called_at"]
)


@dataclass(frozen=True)
class ContactName:
    """Both empty where they could not be read."""

    nombre: str
    relacion: str


def steps_of(tx: Transaction, emergency_id: int) -> list[Step]:
    """As they are in the database now: after waiting for the record's lock, what was loaded before is too old."""
    query = select(Step).where(Step.emergency_id == emergency_id).order_by(Step.place)
    return list(tx.orm.scalars(query.execution_options(populate_existing=True)))


def called_in(tx: Transaction, emergency_id: int) -> dict[str, CalledContact]:
    query = select(CalledContact).where(CalledContact.emergency_id == emergency_id)
    found = tx.orm.scalars(query.execution_options(populate_existing=True))
    return {called.contact_id: called for called in found}


def store_called(
    tx: Transaction, secrets: Secrets, key: bytes, emergency_id: int, contact: Contact, now: datetime
) -> None:
    """Stores a contact of whom a first step is taken."""
    plain = json.dumps([contact.nombre, contact.relacion], ensure_ascii=False)
    tx.run(
        INSERT_CALLED,
        emergency_id=emergency_id,
        contact_id=contact.id,
        token_hash=token_hash(token_for(secrets, emergency_id, contact.id)),
        label=seal(key, plain.encode(), _sealing_context(emergency_id, contact.id)),
        called_at=now,
    )


def name_of_contact(key: bytes, called: CalledContact) -> ContactName:
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


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _sealing_context(emergency_id: int, contact_id: str) -> str:
    return f"emergency:{emergency_id}:contact:{contact_id}"
