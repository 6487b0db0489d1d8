"""Noticing who guesses codes: decoys, which nobody was given, and an address that types codes of several people."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, String, bindparam, delete, func, or_, select, text, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.addresses import address_group
from ficha.core.db import Base, Utc, insert_new
from ficha.core.ids import CODE_LENGTH
from ficha.core.log import log
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.events.events import IS_GUESSING, Event
from ficha.events.publish import publish
from ficha.products.codes import issue_code
from ficha.products.product import Product, ProductState

# Staff is alarmed when codes of this many people were typed at one address within a day.
ALARM_AT_PEOPLE = 2
REMEMBERED_FOR = timedelta(days=1)


class GuessingAlarm(StrEnum):
    """How somebody who guesses codes was noticed. The values are kinds of events and of log lines."""

    DECOY = "codes.decoy_touched"
    PEOPLE = "codes.typed_by_one_address"


class Decoy(Base):
    """A code that is printed nowhere, so whoever types it is guessing. Its product keeps it from being issued.

    `touched_at` is when it last raised an alarm.
    """

    __tablename__ = "decoy_codes"

    code: Mapped[str] = mapped_column(String(CODE_LENGTH), ForeignKey(Product.code), primary_key=True)
    made_at: Mapped[datetime] = mapped_column(Utc)
    touched_at: Mapped[datetime | None] = mapped_column(Utc)
    touches: Mapped[int]


class TypedHit(Base):
    """A live code that was typed at an address. The address is stored as a hash: it is only compared."""

    __tablename__ = "typed_hits"

    address: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    code: Mapped[str] = mapped_column(String(CODE_LENGTH), primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc, index=True)


_TOUCH = (
    update(Decoy.__table__)  # type: ignore[arg-type]
    .where(Decoy.__table__.c.code == bindparam("typed"))
    .values(touches=Decoy.__table__.c.touches + 1)
    .returning(Decoy.__table__.c.touches)
)


def make_decoys(tx: Transaction, now: datetime, count: int) -> Iterator[str]:
    """Issues codes that belong to nobody, and yields them. With several for each live code, guessing meets a decoy
    before the code of a second person."""
    for _ in range(count):
        code = issue_code(tx, now).code
        tx.orm.execute(
            update(Product).where(Product.code == code).values(state=ProductState.RETIRED, tag_hash=None, ended_at=now)
        )
        tx.orm.add(Decoy(code=code, made_at=now, touches=0))
        yield code


def watch_typed_code(
    tx: Transaction, secrets: Secrets, code: str, now: datetime, *, origin: str, is_live: bool
) -> GuessingAlarm | None:
    """Notes that somebody typed this code. Returns the alarm that was raised, if one was."""
    if is_live:
        return note_live_code_typed(tx, secrets, code, now, origin=origin)
    return note_decoy_typed(tx, code, now, origin=origin)


def note_decoy_typed(tx: Transaction, code: str, now: datetime, *, origin: str) -> GuessingAlarm | None:
    """Raises an alarm if the code is a decoy, but only once a day for each. The page is that of any unknown code."""
    code = code.upper()
    # Every code that opens nothing comes here. On the bare table: the ORM takes several times as long.
    counted = tx.connection().execute(_TOUCH, {"typed": code}).one_or_none()
    if counted is None:
        return None
    is_due = or_(Decoy.touched_at.is_(None), Decoy.touched_at <= now - REMEMBERED_FOR)
    raised = tx.orm.scalar(update(Decoy).where(Decoy.code == code, is_due).values(touched_at=now).returning(Decoy.code))
    return _raise_alarm(tx, GuessingAlarm.DECOY, origin, now) if raised else None


def note_live_code_typed(
    tx: Transaction, secrets: Secrets, code: str, now: datetime, *, origin: str
) -> GuessingAlarm | None:
    """Raises an alarm when codes of a second person are typed at one address within a day."""
    address = secrets.keyed_hash("typed-address", address_group(origin))
    _lock_address(tx, address)
    tx.orm.execute(delete(TypedHit).where(TypedHit.address == address, TypedHit.at <= now - REMEMBERED_FOR))
    before = _count_people(tx, address)
    insert_new(tx, TypedHit, [{"address": address, "code": code.upper(), "at": now}], TypedHit.code)
    if before < ALARM_AT_PEOPLE <= _count_people(tx, address):
        return _raise_alarm(tx, GuessingAlarm.PEOPLE, origin, now)
    return None


def prune_typed_codes(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(TypedHit).where(TypedHit.at <= now - REMEMBERED_FOR))


class RaisedAlarm(NamedTuple):
    id: int
    kind: str
    at: datetime


def raised_alarms(tx: Transaction, *, before: int, limit: int) -> list[RaisedAlarm]:
    """Newest first, below the id `before`, as long as events are kept."""
    query = select(Event.id, Event.kind, Event.at).where(text(IS_GUESSING), Event.id < before)
    return [RaisedAlarm(*row) for row in tx.orm.execute(query.order_by(Event.id.desc()).limit(limit))]


def _count_people(tx: Transaction, address: bytes) -> int:
    """How many people's codes were typed at the address. One person may have several codes."""
    found = tx.orm.scalar(
        select(func.count(func.distinct(Product.record_id)))
        .join(TypedHit, TypedHit.code == Product.code)
        .where(TypedHit.address == address)
    )
    return found or 0


def _lock_address(tx: Transaction, address: bytes) -> None:
    """Two at once from one address would each see only their own row, and neither would raise an alarm."""
    if not tx.is_sqlite:
        tx.orm.execute(select(func.pg_advisory_xact_lock(int.from_bytes(address[:8], signed=True))))


def _raise_alarm(tx: Transaction, kind: GuessingAlarm, origin: str, now: datetime) -> GuessingAlarm:
    """Logs the address, which is for operators; the event for staff holds only the time."""
    log().error(kind.value, origin=origin[:60])
    publish(tx, kind.value, {"at": now.isoformat()}, now, staff=True)
    return kind
