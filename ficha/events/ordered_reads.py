"""Reading events in an order that never changes afterwards, so that who goes on from a place misses nothing.

On PostgreSQL a row that was written first may be committed last. Only rows of transactions below the snapshot's
lowest running one are told: nothing can come before them any more. On SQLite one transaction writes at a time.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Row, Text, cast, func, literal, or_, select, text, tuple_
from sqlalchemy.orm import Session

from ficha.events.events import START, Event, Position

LARGEST = 2**63 - 1
_WIRE = re.compile(r"([0-9]{1,19})-([0-9]{1,19})", re.ASCII)
_COLUMNS = (Event.xid, Event.id, Event.account_id, Event.at, Event.kind, Event.payload)
_PLACE = tuple_(Event.xid, Event.id)


@dataclass(frozen=True)
class Told:
    """An event as it goes out."""

    position: Position
    account_id: int | None
    at: datetime
    kind: str
    payload: dict[str, Any]

    @cached_property
    def frame(self) -> bytes:
        """Made once, for however many read it."""
        data = json.dumps({"at": self.at.isoformat()} | self.payload, ensure_ascii=False, separators=(",", ":"))
        return f"id: {wire_of(self.position)}\nevent: {self.kind}\ndata: {data}\n\n".encode()


class Page(NamedTuple):
    """`is_waiting` when newer rows are there, but a transaction that may come before them still runs."""

    told: Sequence[Told]
    is_waiting: bool
    is_full: bool


class Kept(Enum):
    """What is known of a place that somebody wants to go on from."""

    HERE = "here"
    GONE = "gone"
    NEVER = "never"


def wire_of(position: Position) -> str:
    return f"{position.xid}-{position.id}"


def position_of(wire: str) -> Position | None:
    found = _WIRE.fullmatch(wire)
    if found is None:
        return None
    position = Position(int(found[1]), int(found[2]))
    return position if max(position) <= LARGEST else None


def newest(session: Session) -> Position:
    row = session.execute(
        select(Event.xid, Event.id)
        .where(Event.xid < _horizon(session))
        .order_by(Event.xid.desc(), Event.id.desc())
        .limit(1)
    ).one_or_none()
    return START if row is None else Position(row.xid, row.id)


def read_after(session: Session, position: Position, limit: int) -> Page:
    """Everybody's events after `position`."""
    rows = session.execute(
        # The horizon comes with the rows, from the same snapshot.
        select(*_COLUMNS, _horizon(session).label("horizon"))
        .where(_place(position) < _PLACE)
        .order_by(Event.xid, Event.id)
        .limit(limit)
    ).all()
    settled = [row for row in rows if row.xid < row.horizon]
    is_waiting = len(settled) < len(rows)
    return Page([_told(row) for row in settled], is_waiting, not is_waiting and len(rows) == limit)


def read_between(
    session: Session, after: Position, until: Position, account_id: int, *, is_staff: bool, limit: int
) -> list[Told]:
    """What one account missed. `until` was told to somebody, so nothing up to there can still be on its way."""
    mine: ColumnElement[bool] = Event.account_id == account_id
    rows = session.execute(
        select(*_COLUMNS)
        .where(
            or_(mine, Event.account_id.is_(None)) if is_staff else mine,
            _place(after) < _PLACE,
            _place(until) >= _PLACE,
        )
        .order_by(Event.xid, Event.id)
        .limit(limit)
    ).all()
    return [_told(row) for row in rows]


def kept(session: Session, position: Position) -> Kept:
    """A place that was once told is still there, or was pruned; one that lies ahead was never told."""
    if position == START:
        oldest = session.scalar(select(func.min(Event.id)))
        return Kept.HERE if oldest in (None, 1) else Kept.GONE
    if session.scalar(select(Event.id).where(Event.xid == position.xid, Event.id == position.id)) is not None:
        return Kept.HERE
    return Kept.NEVER if _is_ahead(session, position) else Kept.GONE


def _is_ahead(session: Session, position: Position) -> bool:
    if _is_sqlite(session):
        last = session.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'events'"))
        return position.xid != 0 or position.id > (last or 0)
    following = session.scalar(select(_number(func.pg_snapshot_xmax(func.pg_current_snapshot()))))
    return position.xid >= (following or 0)


def _horizon(session: Session) -> ColumnElement[int]:
    if _is_sqlite(session):
        return literal(1)
    return _number(func.pg_snapshot_xmin(func.pg_current_snapshot()))


def _number(xid: ColumnElement[Any]) -> ColumnElement[int]:
    """PostgreSQL has no shorter way from its xid8 to a number."""
    return cast(cast(xid, Text), BigInteger)


def _place(position: Position) -> Any:
    return tuple_(literal(position.xid, BigInteger), literal(position.id, BigInteger))


def _told(row: Row[*tuple[Any, ...]]) -> Told:
    return Told(Position(row.xid, row.id), row.account_id, row.at, row.kind, row.payload)


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"
