"""Publishes events in the caller's transaction, and deletes those that are kept no longer."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select

from ficha.core.transaction import Transaction
from ficha.events.events import STAFF, Audience, Event, NewEvent
from ficha.events.statements import insert_events

PRUNE_BATCH = 1000


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
    if new:
        insert_events(tx, new)


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
