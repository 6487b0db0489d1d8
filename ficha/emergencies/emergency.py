"""The tables of emergencies and of the numbers and mailboxes that they alerted, with the rows that prepared statements
read, and how long an emergency waits for what."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, Self

from sqlalchemy import ForeignKey, LargeBinary, String, and_, or_
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.phones import spellings
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.fmd.records import Record


class EmergencyState(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    CANCELED = "canceled"


class PermissionSource(StrEnum):
    """What the permission to alert comes from. Stored as the emergency's `entrance`."""

    TAG = "tag"
    TYPED = "typed"
    BEARER = "bearer"


# Begins the name of every message about an emergency.
ABOUT = "emergencia:"
LIVE = (EmergencyState.OPEN, EmergencyState.ACKNOWLEDGED)


class Emergency(Base):
    """Ids, states and times are in clear; the position is sealed with the record's key, which is destroyed with it."""

    __tablename__ = "emergencies"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), index=True)
    # The record, as long as a new scan would join this one: of two alerts at once, one makes the emergency.
    current_record_id: Mapped[int | None] = mapped_column(BigId, unique=True)
    code: Mapped[str] = mapped_column(String(6))
    state: Mapped[str] = mapped_column(String(12), index=True)
    # A drill by the owner: its steps are stored, and nothing is sent.
    is_drill: Mapped[bool]
    entrance: Mapped[str] = mapped_column(String(10))
    position: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Where it is in words, as whoever scanned wrote it.
    landmark: Mapped[bytes | None] = mapped_column(LargeBinary)
    scans: Mapped[int]
    last_scan_at: Mapped[datetime] = mapped_column(Utc)
    opened_at: Mapped[datetime] = mapped_column(Utc, index=True)
    opened_by: Mapped[str] = mapped_column(String(60))
    acknowledged_at: Mapped[datetime | None] = mapped_column(Utc)
    acknowledged_by: Mapped[str | None] = mapped_column(String(60))
    resolved_at: Mapped[datetime | None] = mapped_column(Utc)
    resolved_by: Mapped[str | None] = mapped_column(String(60))
    canceled_at: Mapped[datetime | None] = mapped_column(Utc)
    canceled_by: Mapped[str | None] = mapped_column(String(60))
    # Since when staff looks after it, because nobody of the family answered.
    staff_at: Mapped[datetime | None] = mapped_column(Utc, index=True)
    # Who of staff has taken it, and since when; empty again once she hands it back.
    taken_at: Mapped[datetime | None] = mapped_column(Utc)
    taken_by: Mapped[str | None] = mapped_column(String(60))

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def ended_at(self) -> datetime | None:
        return self.resolved_at or self.canceled_at

    @property
    def about(self) -> str:
        return f"{ABOUT}{self.id}"


class EmergencyRow(NamedTuple):
    """What the ladder and the states of its messages need to know of an emergency."""

    id: int
    record_id: int
    state: str
    is_drill: bool
    position: bytes | None
    landmark: bytes | None
    opened_at: datetime
    staff_at: datetime | None
    code: str
    entrance: str
    opened_by: str


AnyEmergency = Emergency | EmergencyRow


class AlertTarget(Base):
    """What a number or mailbox got from a record, and whether its person agreed. `target` is a keyed hash: addresses
    are only compared."""

    __tablename__ = "alert_targets"

    record_id: Mapped[int] = mapped_column(BigId, primary_key=True)
    target: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True, index=True)
    # Of the last alert, so that an answer to it is found.
    emergency_id: Mapped[int] = mapped_column(BigId, index=True)
    contact_id: Mapped[str] = mapped_column(String(8))
    channel: Mapped[str] = mapped_column(String(10))
    alerted_at: Mapped[datetime] = mapped_column(Utc)
    asked_at: Mapped[datetime | None] = mapped_column(Utc)
    confirmed_at: Mapped[datetime | None] = mapped_column(Utc)
    refused_at: Mapped[datetime | None] = mapped_column(Utc)


class TargetRow(NamedTuple):
    """What of a target decides whether it may be reached."""

    target: bytes
    asked_at: datetime | None
    confirmed_at: datetime | None
    refused_at: datetime | None


def target_of(secrets: Secrets, channel: str, address: str) -> bytes:
    return secrets.keyed_hash("alert-target", f"{channel}:{address.casefold()}")


def targets_of(secrets: Secrets, channel: str, address: str) -> tuple[bytes, bytes]:
    """Of the address as it is written, and as it may be written too: a number of Mexico or Brazil has two spellings."""
    first, *other = [target_of(secrets, channel, each) for each in spellings(address)]
    return first, (other or [first])[0]


# Of a target: its person declined, or was asked whether she agrees and never said so.
IS_CLOSED = or_(
    AlertTarget.refused_at.is_not(None), and_(AlertTarget.asked_at.is_not(None), AlertTarget.confirmed_at.is_(None))
)


# Somebody is waiting: a job that failed on our side is tried again within this.
URGENT_RETRY = timedelta(seconds=10)


@dataclass(frozen=True)
class Timeouts:
    # Scans of one record this close together are one emergency.
    join_scans: timedelta
    # What could not be sent by then is not sent any more: the ladder has gone on, and an old alert frightens.
    send_alert: timedelta
    # How long after its end an emergency's links still answer.
    link: timedelta
    # How long after an alert a message from that person counts as its answer.
    reply: timedelta
    # How long after a record began to alert its next emergency waits.
    quiet: timedelta

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(
            join_scans=timedelta(minutes=settings.emergency_join_minutes),
            send_alert=timedelta(minutes=settings.ladder_message_minutes),
            link=timedelta(hours=settings.emergency_link_hours),
            reply=timedelta(hours=settings.emergency_reply_hours),
            quiet=timedelta(minutes=settings.alert_quiet_minutes),
        )
