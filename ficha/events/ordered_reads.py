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

from sqlalchemy import BigInteger, ColumnElement, Text, and_, bindparam, cast, func, literal, or_, select, text, tuple_

from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.events.events import START, Audience, EventPosition, events

LARGEST = 2**63 - 1
_WIRE = re.compile(r"([0-9]{1,19})-([0-9]{1,19})", re.ASCII)
_its = events.c


def _number(xid: ColumnElement[Any]) -> ColumnElement[int]:
    """PostgreSQL has no shorter way from its xid8 to a number."""
    return cast(cast(xid, Text), BigInteger)


def _given(name: str) -> ColumnElement[Any]:
    """A position that is given as two numbers."""
    return tuple_(bindparam(f"{name}_xid", type_=BigInteger()), bindparam(f"{name}_id", type_=BigInteger()))


# By database: the oldest transaction that still runs. Rows from there on are not read yet.
_FIRST_UNSETTLED: dict[str, ColumnElement[int]] = {
    "sqlite": literal(1),
    "postgresql": _number(func.pg_snapshot_xmin(func.pg_current_snapshot())),
}
_POSITION = tuple_(_its.xid, _its.id)
_EVENTS = (
    select(_its.xid, _its.id, _its.account_id, _its.topic, _its.at, _its.kind, _its.payload)
    .where(_given("after") < _POSITION)
    .order_by(_its.xid, _its.id)
    .limit(bindparam("most"))
)
_NEWEST = {
    name: Prepared(
        select(_its.xid, _its.id).where(_its.xid < first).order_by(_its.xid.desc(), _its.id.desc()).limit(1), only=name
    )
    for name, first in _FIRST_UNSETTLED.items()
}
# The first unsettled comes with the rows, from the same snapshot.
_AFTER = {
    name: Prepared(_EVENTS.add_columns(first.label("first_unsettled")), only=name)
    for name, first in _FIRST_UNSETTLED.items()
}
_BETWEEN = _EVENTS.where(_given("until") >= _POSITION)
_OF_ACCOUNT = _its.account_id == bindparam("audience")
_FOR_STAFF = and_(_its.account_id.is_(None), _its.topic.is_(None))
_BETWEEN_OF_ACCOUNT = Prepared(_BETWEEN.where(_OF_ACCOUNT))
_BETWEEN_OF_STAFF = Prepared(_BETWEEN.where(or_(_OF_ACCOUNT, _FOR_STAFF)))
_BETWEEN_OF_TOPIC = Prepared(_BETWEEN.where(_its.topic == bindparam("audience")))
_OLDEST = Prepared(select(func.min(_its.id).label("id")))
_AT = Prepared(select(_its.id).where(_its.xid == bindparam("xid"), _its.id == bindparam("id")))


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
    row = tx.first(_NEWEST[tx.dialect.name])
    return START if row is None else EventPosition(row.xid, row.id)


def read_after(tx: Transaction, position: EventPosition, limit: int) -> EventPage:
    """The events for everybody after `position`."""
    rows = tx.all(_AFTER[tx.dialect.name], after_xid=position.xid, after_id=position.id, most=limit)
    settled = [row for row in rows if row.xid < row.first_unsettled]
    is_blocked = len(settled) < len(rows)
    return EventPage([_event(row) for row in settled], is_blocked, not is_blocked and len(rows) == limit)


def read_between(
    tx: Transaction, after: EventPosition, until: EventPosition, audience: Audience, *, is_staff: bool, limit: int
) -> list[StreamedEvent]:
    """The events of one audience, and of staff if asked.

    `until` was read by somebody, so nothing can still come before it."""
    statement = _BETWEEN_OF_STAFF if is_staff else _BETWEEN_OF_ACCOUNT
    if audience.topic is not None:
        statement = _BETWEEN_OF_TOPIC
    rows = tx.all(
        statement,
        after_xid=after.xid,
        after_id=after.id,
        until_xid=until.xid,
        until_id=until.id,
        audience=audience.account_id if audience.topic is None else audience.topic,
        most=limit,
    )
    return [_event(row) for row in rows]


def position_state(tx: Transaction, position: EventPosition) -> PositionState:
    """Of an event that is still kept, of one that was pruned, or of one that was never written."""
    if position == START:
        oldest = tx.first(_OLDEST).id
        return PositionState.KEPT if oldest in (None, 1) else PositionState.PRUNED
    if tx.first(_AT, xid=position.xid, id=position.id) is not None:
        return PositionState.KEPT
    return PositionState.UNKNOWN if _is_ahead(tx, position) else PositionState.PRUNED


def _is_ahead(tx: Transaction, position: EventPosition) -> bool:
    if tx.is_sqlite:
        last = tx.orm.scalar(text("SELECT seq FROM sqlite_sequence WHERE name = 'events'"))
        return position.xid != 0 or position.id > (last or 0)
    following = tx.orm.scalar(select(_number(func.pg_snapshot_xmax(func.pg_current_snapshot()))))
    return position.xid >= (following or 0)


def _event(row: Any) -> StreamedEvent:
    # Rows from before there were topics have a negative account number beside the topic.
    audience = Audience(account_id=row.account_id) if row.topic is None else Audience(topic=row.topic)
    return StreamedEvent(EventPosition(row.xid, row.id), audience, row.at, row.kind, row.payload)
