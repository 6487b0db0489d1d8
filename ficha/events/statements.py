"""The prepared statements of events: writing them, and reading them in an order that never changes afterwards, so that
whoever goes on from a position misses nothing.

On PostgreSQL a row that was written first may be committed last. Only rows of transactions older than every running
one are read: nothing can come before them any more. On SQLite one transaction writes at a time.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Insert,
    SelectBase,
    Text,
    and_,
    bindparam,
    cast,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    tuple_,
)

from ficha.core.db import Base
from ficha.core.list_parameters import insert_rows, rows_value
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.events.events import START, Audience, Event, EventPage, EventPosition, NewEvent, PositionState, StreamedEvent
from ficha.events.wakeup import CHANNEL, wake_after_commit

_events = Base.metadata.tables[Event.__tablename__]
_its = _events.c


def _number(xid: ColumnElement[Any]) -> ColumnElement[int]:
    """PostgreSQL has no shorter way from its xid8 to a number."""
    return cast(cast(xid, Text), BigInteger)


def _given(name: str) -> ColumnElement[Any]:
    """A position that is given as two numbers."""
    return tuple_(bindparam(f"{name}_xid", type_=BigInteger()), bindparam(f"{name}_id", type_=BigInteger()))


_WRITTEN = ("at", "account_id", "topic", "kind", "payload")
_INSERT_ON_SQLITE = Prepared(insert(_events).values(xid=0), _WRITTEN, only="sqlite")
_XID = _number(func.pg_current_xact_id())
_INSERT_ON_POSTGRES = insert_rows(_events, _WRITTEN, xid=_XID)
_NOTIFY = Prepared(select(func.pg_notify(CHANNEL, "").label("notified")), only="postgresql")
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


def insert_events(tx: Transaction, new: Sequence[NewEvent]) -> None:
    rows = [
        {"at": now, "kind": kind, "payload": dict(payload), "account_id": account_id, "topic": topic}
        for kind, payload, now, (account_id, topic) in new
    ]
    if tx.is_sqlite:
        tx.run_many(_INSERT_ON_SQLITE, rows)
    else:
        tx.run(_INSERT_ON_POSTGRES, rows=rows_value(rows))
    _wake_listeners(tx)


class EventForAccounts:
    """An event for the accounts that a select finds, written in one statement."""

    def __init__(self, accounts: SelectBase) -> None:
        found = accounts.subquery()
        given = [bindparam(name, type_=_its[name].type) for name in ("at", "kind", "payload")]
        names = ["xid", "at", "kind", "payload", "account_id"]

        def writing(xid: ColumnElement[int]) -> Insert:
            rows = select(xid, *given, found.c.account_id)
            return insert(_events).from_select(names, rows)

        self._on_sqlite = Prepared(writing(literal(0)), only="sqlite")
        self._on_postgres = Prepared(writing(_XID), only="postgresql")

    def publish(self, tx: Transaction, kind: str, payload: Mapping[str, Any], at: datetime, **values: Any) -> None:
        """`values` are the select's."""
        statement = self._on_sqlite if tx.is_sqlite else self._on_postgres
        tx.run(statement, kind=kind, payload=dict(payload), at=at, **values)
        _wake_listeners(tx)


def _wake_listeners(tx: Transaction) -> None:
    if tx.is_sqlite:
        wake_after_commit(tx)
    else:
        tx.before_commit(_notify)


def _notify(tx: Transaction) -> None:
    tx.run(_NOTIFY)


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
