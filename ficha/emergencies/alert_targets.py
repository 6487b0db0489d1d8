"""Whom alerts may reach. A number or mailbox that an owner typed belongs to somebody who may never have agreed.

Until that person answers, one record sends it one alert, and later one question whether she agrees. Whoever declines
gets nothing more from that record. Many records together cannot flood one number or mailbox; how often one record
may alert is in quiet_time.py.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple, cast

from sqlalchemy import LargeBinary, String, Table, bindparam, delete, func, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.step_rows import EmergencyRow, StepOfMessage
from ficha.emergencies.steps import NewStep, Step

# What counts when many records alert.
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


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


class KnownTarget(NamedTuple):
    """What of a target decides whether it may be reached."""

    asked_at: datetime | None
    confirmed_at: datetime | None
    refused_at: datetime | None


targets = cast(Table, AlertTarget.__table__)
OF_RECORD = (targets.c.record_id == bindparam("record")) & (targets.c.target == bindparam("address"))
FIND = Prepared(select(*(targets.c[name] for name in KnownTarget._fields)).where(OF_RECORD))
COUNT = Prepared(
    select(func.count().label("count"))
    .select_from(targets)
    .where(targets.c.target == bindparam("address"), targets.c.alerted_at > bindparam("since"))
)
LAST_ALERT = ("emergency_id", "contact_id", "channel", "alerted_at", "asked_at")
INSERT = Prepared(insert(targets), ("record_id", "target", *LAST_ALERT))
RENEW = Prepared(update(targets).where(OF_RECORD).values({name: bindparam(f"its_{name}") for name in LAST_ALERT}))
ALERTED = (
    (targets.c.emergency_id == bindparam("emergency"))
    & (targets.c.contact_id == bindparam("contact"))
    & (targets.c.channel == bindparam("way"))
)
NOTE_ANSWER = Prepared(
    update(targets).where(ALERTED).values(confirmed_at=bindparam("agreed"), refused_at=bindparam("declined"))
)
FIND_REFUSAL = Prepared(select(targets.c.refused_at).where(ALERTED))
FORGET = Prepared(delete(targets).where(ALERTED, targets.c.confirmed_at.is_(None), targets.c.refused_at.is_(None)))


class Reach(StrEnum):
    """What may be sent to a target. All but the first two are reasons why nothing is."""

    ALERT = "alert"
    QUESTION = "question"
    REFUSED = "no_acepta"
    UNCONFIRMED = "sin_confirmar"
    LIMIT = "limite"


def reserve_target(
    tx: Transaction,
    secrets: Secrets,
    settings: Settings,
    emergency: Emergency | EmergencyRow,
    contact_id: str,
    channel: str,
    address: str,
    now: datetime,
) -> Reach:
    """What may be sent to this address now; it is written down as sent. The caller has locked the record's row."""
    target = target_of(secrets, channel, address)
    known = known_target(tx, emergency.record_id, target)
    reach = _reach(tx, settings, known, target, now)
    if reach not in (Reach.ALERT, Reach.QUESTION):
        return reach
    asked_at = now if reach is Reach.QUESTION else known and known.asked_at
    alert = dict(zip(LAST_ALERT, (emergency.id, contact_id, channel, now, asked_at), strict=True))
    if known is None:
        tx.run(INSERT, record_id=emergency.record_id, target=target, **alert)
    else:
        its = {f"its_{name}": given for name, given in alert.items()}
        tx.run(RENEW, record=emergency.record_id, address=target, **its)
    return reach


def target_of(secrets: Secrets, channel: str, address: str) -> bytes:
    return secrets.keyed_hash("alert-target", f"{channel}:{address.casefold()}")


def known_target(tx: Transaction, record_id: int, target: bytes) -> KnownTarget | None:
    row = tx.first(FIND, record=record_id, address=target)
    return None if row is None else KnownTarget(*row)


def note_answer(
    tx: Transaction, emergency_id: int, contact_id: str, channel: str, now: datetime, *, is_refused: bool
) -> None:
    """The person who was reached by this channel agrees by any answer, or declines. It says nothing about the contact's
    other addresses, which may be somebody else's."""
    said = {"agreed": None, "declined": now} if is_refused else {"agreed": now, "declined": None}
    tx.run(NOTE_ANSWER, emergency=emergency_id, contact=contact_id, way=channel, **said)


def has_refused(tx: Transaction, emergency_id: int, contact_id: str, channel: str) -> bool:
    """Whether the person who was reached by this channel of this emergency wants no more alerts there."""
    row = tx.first(FIND_REFUSAL, emergency=emergency_id, contact=contact_id, way=channel)
    return row is not None and row.refused_at is not None


def forget_alert(tx: Transaction, step: Step | NewStep | StepOfMessage) -> None:
    """What could not be sent does not count: the next emergency alerts this address as if for the first time."""
    tx.run(FORGET, emergency=step.emergency_id, contact=step.contact_id, way=step.channel)


def _reach(tx: Transaction, settings: Settings, known: KnownTarget | None, target: bytes, now: datetime) -> Reach:
    if known is not None and known.refused_at is not None:
        return Reach.REFUSED
    if known is not None and known.confirmed_at is not None:
        return Reach.LIMIT if _count(tx, target, now - HOUR) >= settings.alerts_per_confirmed else Reach.ALERT
    if known is not None and known.asked_at is not None:
        return Reach.UNCONFIRMED
    if _count(tx, target, now - DAY) >= settings.alerts_per_unconfirmed:
        return Reach.LIMIT
    return Reach.ALERT if known is None else Reach.QUESTION


def _count(tx: Transaction, target: bytes, since: datetime) -> int:
    """How many records alerted this number or mailbox since then."""
    count: int = tx.first(COUNT, address=target, since=since).count
    return count
