"""Reading events in an order that never changes afterwards, so that whoever goes on from a position misses nothing.

On PostgreSQL a row that was written first may be committed last. Only rows of transactions older than every running
one are read: nothing can come before them any more. On SQLite one transaction writes at a time.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, ColumnElement, Row, Text, and_, cast, func, literal, or_, select, text, tuple_

from ficha.core.transaction import Transaction
from ficha.events.events import START, Audience, Event, EventPosition

LARGEST = 2**63 - 1
_WIRE = re.compile(r"([0-9]{1,19})-([0-9]{1,19})", re.ASCII)
_COLUMNS = (Event.xid, Event.id, Event.account_id, Event.topic, Event.at, Event.kind, Event.payload)
_POSITION = tuple_(Event.xid, Event.id)


@dataclass(frozen=True)
class StreamedEvent:
    """An event as subscribers get it."""

    position: EventPosition
    audience: Audience
    at: datetime
    kind: str
    payload: dict[str, Any]

    @cached_property
    def frame(self) -> bytes:
        """Its bytes in a Server-Sent Events stream, made once for all subscribers."""
        data = json.dumps({"at": self.at.isoformat()} | self.payload, ensure_ascii=False, separators=(",", ":"))
        return f"id: {position_to_wire(self.position)}\nevent: {self.kind}\ndata: {data}\n\n".encode()


class EventPage(NamedTuple):
    """`is_blocked`: newer rows are there, but a transaction that may come before them still runs."""

    events: Sequence[StreamedEvent]
    is_blocked: bool
    is_full: bool


class PositionState(Enum):
    """What is known of a position from which somebody wants to go on."""

    KEPT = "kept"
    PRUNED = "pruned"
    UNKNOWN = "unknown"


def position_to_wire(position: EventPosition) -> str:
    return f"{position.xid}-{position.id}"


def position_from_wire(wire: str) -> EventPosition | None:
    found = _WIRE.fullmatch(wire)
    if found is None:
        return None
    position = EventPosition(int(found[1]), int(found[2]))
    return position if max(position) <= LARGEST else None


def newest(tx: Transaction) -> EventPosition:
    row = tx.orm.execute(
        select(Event.xid, Event.id)
        .where(Event.xid < _first_unsettled(tx))
        .order_by(Event.xid.desc(), Event.id.desc())
        .limit(1)
    ).one_or_none()
    return START if row is None else EventPosition(row.xid, row.id)


def read_after(tx: Transaction, position: EventPosition, limit: int) -> EventPage:
    """The events for everybody after `position`."""
    rows = tx.orm.execute(
        # It comes with the rows, from the same snapshot.
        select(*_COLUMNS, _first_unsettled(tx).label("first_unsettled"))
        .where(_literal(position) < _POSITION)
        .order_by(Event.xid, Event.id)
        .limit(limit)
    ).all()
    settled = [row for row in rows if row.xid < row.first_unsettled]
    is_blocked = len(settled) < len(rows)
    return EventPage([_event(row) for row in settled], is_blocked, not is_blocked and len(rows) == limit)


def read_between(
    tx: Transaction, after: EventPosition, until: EventPosition, audience: Audience, *, is_staff: bool, limit: int
) -> list[StreamedEvent]:
    """The events of one audience, and of staff if asked.

    `until` was read by somebody, so nothing can still come before it."""
    own = Event.account_id == audience.account_id if audience.topic is None else Event.topic == audience.topic
    rows = tx.orm.execute(
        select(*_COLUMNS)
        .where(
            or_(own, _for_staff()) if is_staff else own,
            _literal(after) < _POSITION,
            _literal(until) >= _POSITION,
        )
        .order_by(Event.xid, Event.id)
        .limit(limit)
    ).all()
    return [_event(row) for row in rows]


def position_state(tx: Transaction, position: EventPosition) -> PositionState:
    """Of an event that is still kept, of one that was pruned, or of one that was never written."""
    if position == START:
        oldest = tx.orm.scalar(select(func.min(Event.id)))
        return PositionState.KEPT if oldest in (None, 1) else PositionState.PRUNED
    if tx.orm.scalar(select(Event.id).where(Event.xid == position.xid, Event.id == position.id)) is not None:
        return PositionState.KEPT
    return PositionState.UNKNOWN if _is_ahead(tx, position) else PositionState.PRUNED


def _for_staff() -> ColumnElement[bool]:
    return and_(Event.account_id.is_(None), Event.topic.is_(None))


def _is_ahead(tx: Transaction, position: EventPosition) -> bool:
    if tx.is_sqlite:
        last = tx.orm.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'events'"))
        return position.xid != 0 or position.id > (last or 0)
    following = tx.orm.scalar(select(_number(func.pg_snapshot_xmax(func.pg_current_snapshot()))))
    return position.xid >= (following or 0)


def _first_unsettled(tx: Transaction) -> ColumnElement[int]:
    """The oldest transaction that still runs: rows from there on are not read yet."""
    if tx.is_sqlite:
        return literal(1)
    return _number(func.pg_snapshot_xmin(func.pg_current_snapshot()))


def _number(xid: ColumnElement[Any]) -> ColumnElement[int]:
    """PostgreSQL has no shorter way from its xid8 to a number."""
    return cast(cast(xid, Text), BigInteger)


def _literal(position: EventPosition) -> Any:
    return tuple_(literal(position.xid, BigInteger), literal(position.id, BigInteger))


def _event(row: Row[*tuple[Any, ...]]) -> StreamedEvent:
    # Rows from before there were topics have a negative account number beside the topic.
    audience = Audience(account_id=row.account_id) if row.topic is None else Audience(topic=row.topic)
    return StreamedEvent(EventPosition(row.xid, row.id), audience, row.at, row.kind, row.payload)
