"""The notifications that were kept without being understood, or have not been processed: nothing is kept unseen."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from sqlalchemy import select

from ficha.core.transaction import Transaction
from ficha.messaging.tables import Notification


class NotificationState(StrEnum):
    """`waiting`: not processed yet. `kept`: processed, and not all of it was understood or was for us."""

    WAITING = "waiting"
    KEPT = "kept"


def kept_notifications(
    tx: Transaction,
    *,
    before: int,
    limit: int,
    kind: str | None = None,
    state: NotificationState | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Sequence[Notification]:
    """Newest first, below the id `before`. Without a state: all that were not understood."""
    query = select(Notification).where(Notification.id < before)
    if state is NotificationState.WAITING:
        query = query.where(Notification.processed_at.is_(None))
    else:
        query = query.where(Notification.kind.is_not(None))
    if state is NotificationState.KEPT:
        query = query.where(Notification.processed_at.is_not(None))
    if kind is not None:
        query = query.where(Notification.kind == kind)
    if since is not None:
        query = query.where(Notification.received_at >= since)
    if until is not None:
        query = query.where(Notification.received_at < until)
    return tx.orm.scalars(query.order_by(Notification.id.desc()).limit(limit)).all()


def state_of(notification: Notification) -> NotificationState:
    return NotificationState.WAITING if notification.processed_at is None else NotificationState.KEPT
