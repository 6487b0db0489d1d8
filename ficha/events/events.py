"""Events: one row for each audience, written with the change itself and kept for some days."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Index,
    Insert,
    SelectBase,
    String,
    Table,
    Text,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Json, Utc, partial_index
from ficha.core.given_rows import insert_given, rows_value
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.events.wakeup import wake_after_commit

CHANNEL = "ficha_events"
PRUNE_BATCH = 1000
# Somebody guesses codes (products/decoys.py): few among all events, and staff look for the newest.
IS_GUESSING = "kind IN ('codes.decoy_touched', 'codes.typed_by_one_address')"


class Event(Base):
    """Holds ids, states and times only: what it is about is read where that is kept, by who may read it there."""

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_position", "xid", "id"),
        Index("ix_events_account_position", "account_id", "xid", "id"),
        # Without the rows of accounts and staff, which are the most.
        partial_index("ix_events_topic_position", "topic", "xid", "id", where="topic IS NOT NULL"),
        partial_index("ix_events_guessing", "id", where=IS_GUESSING),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # On PostgreSQL the transaction that wrote it; on SQLite, where one writes at a time, always 0.
    xid: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(Utc)
    # For an account, for a topic, or for staff when both are empty. No foreign key: events of an erased account stay
    # until they are pruned.
    account_id: Mapped[int | None] = mapped_column(BigId)
    topic: Mapped[str | None] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(40))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)


events = cast(Table, Event.__table__)
WRITTEN = ("at", "account_id", "topic", "kind", "payload")
INSERT_ON_SQLITE = Prepared(insert(events).values(xid=0), WRITTEN, only="sqlite")
XID = sql_cast(sql_cast(func.pg_current_xact_id(), Text), BigInteger)
INSERT_ON_POSTGRES = insert_given(events, WRITTEN, xid=XID)
NOTIFY = Prepared(select(func.pg_notify(CHANNEL, "").label("notified")), only="postgresql")


class Audience(NamedTuple):
    """Whom an event is for: an account, or whoever subscribes to a topic."""

    account_id: int | None = None
    topic: str | None = None


STAFF = Audience()


class NewEvent(NamedTuple):
    kind: str
    payload: Mapping[str, Any]
    at: datetime
    audience: Audience


class EventPosition(NamedTuple):
    """A place in the order of events: by transaction, then by id, because ids are not committed in their order."""

    xid: int
    id: int


START = EventPosition(0, 0)


def publish(
    tx: Transaction,
    kind: str,
    payload: Mapping[str, Any],
    now: datetime,
    *,
    accounts: Iterable[int] = (),
    topics: Iterable[str] = (),
    staff: bool = False,
) -> None:
    """Writes the event for these accounts and topics, and for staff if asked, in the caller's transaction.

    The payload holds ids, states and times, and nothing medical or written by a person.
    """
    audiences = [Audience(account_id=account_id) for account_id in sorted(set(accounts))]
    audiences += [Audience(topic=topic) for topic in sorted(set(topics))]
    if staff:
        audiences.append(STAFF)
    publish_all(tx, [NewEvent(kind, payload, now, audience) for audience in audiences])


def publish_all(tx: Transaction, new: Sequence[NewEvent]) -> None:
    """Many events in one statement, as `publish` writes one."""
    if not new:
        return
    rows = [
        {"at": now, "kind": kind, "payload": dict(payload), "account_id": account_id, "topic": topic}
        for kind, payload, now, (account_id, topic) in new
    ]
    if tx.is_sqlite:
        tx.run_many(INSERT_ON_SQLITE, rows)
    else:
        tx.run(INSERT_ON_POSTGRES, rows=rows_value(rows))
    _wake_listeners(tx)


class EventForAccounts:
    """An event for the accounts that a select finds, written in one statement."""

    def __init__(self, accounts: SelectBase) -> None:
        found = accounts.subquery()
        given = [bindparam(name, type_=events.c[name].type) for name in ("at", "kind", "payload")]
        names = ["xid", "at", "kind", "payload", "account_id"]

        def writing(xid: ColumnElement[int]) -> Insert:
            rows = select(xid, *given, found.c.account_id)
            return insert(events).from_select(names, rows)

        self._on_sqlite = Prepared(writing(literal(0)), only="sqlite")
        self._on_postgres = Prepared(writing(XID), only="postgresql")

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
    tx.run(NOTIFY)


def prune_events(tx: Transaction, before: datetime) -> int:
    """Deletes events older than `before`, except the newest row, which marks the position to go on from."""
    newest = tx.orm.scalar(select(Event.id).order_by(Event.xid.desc(), Event.id.desc()).limit(1))
    deleted = 0
    while newest is not None:
        # Ids grow with time, nearly: the oldest are found without an index on time.
        page = tx.orm.execute(select(Event.id, Event.at).order_by(Event.id).limit(PRUNE_BATCH)).all()
        old = [row.id for row in page if row.at < before and row.id != newest]
        tx.orm.execute(delete(Event).where(Event.id.in_(old)))
        deleted += len(old)
        if len(old) < PRUNE_BATCH:
            break
    return deleted
