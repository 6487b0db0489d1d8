"""Notifications of the platform, stored whole and sealed before they are read, so that none is ever lost. One that was
read whole is emptied: its messages have keys of their own, and are erased with their people."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, cast

from sqlalchemy import Boolean, Index, Integer, LargeBinary, String, Table, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import seal, unseal
from ficha.core.db import Base, BigId, Utc, partial_index
from ficha.core.prepared import insert_if_new
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put

PROCESS = "whatsapp.notificaciones"
# In the place of the sealed body once it was read whole.
NOTHING_LEFT = b""


class Notification(Base):
    """A body that is sent again has the same `digest` and so the same row. `done` counts the processed items."""

    __tablename__ = "notifications"
    __table_args__ = (
        partial_index("ix_notifications_waiting", "id", where="processed_at IS NULL"),
        partial_index("ix_notifications_kind", "id", where="kind IS NOT NULL"),
        Index("ix_notifications_received_at", "received_at"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    is_test: Mapped[bool] = mapped_column(Boolean)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime] = mapped_column(Utc)
    processed_at: Mapped[datetime | None] = mapped_column(Utc)
    done: Mapped[int] = mapped_column(Integer)
    unreadable: Mapped[int] = mapped_column(Integer)
    # What of it was kept without being understood, or is not for us; none where all of it was acted upon.
    kind: Mapped[str | None] = mapped_column(String(40))


notifications = cast(Table, Notification.__table__)
WRITTEN = ("digest", "is_test", "sealed", "received_at", "done", "unreadable")


@dataclass(frozen=True)
class SealedNotification:
    """A body that is ready to be stored."""

    digest: bytes
    sealed: bytes
    at: datetime
    is_test: bool


def seal_notification(secrets: Secrets, body: bytes, now: datetime, *, is_test: bool = False) -> SealedNotification:
    # A test has another digest, so that a real notification with the same body is not taken for it.
    digest = hashlib.sha256((b"test:" if is_test else b"") + body).digest()
    return SealedNotification(digest, seal(secrets.derive("notifications"), body, _place(digest)), now, is_test)


class StoredNotification(Protocol):
    """What of a notification holds its content, however it was read."""

    @property
    def sealed(self) -> bytes: ...
    @property
    def digest(self) -> bytes: ...


def open_notification(secrets: Secrets, notification: StoredNotification) -> bytes:
    return unseal(secrets.derive("notifications"), notification.sealed, _place(notification.digest))


def store_notifications(tx: Transaction, sealed: Sequence[SealedNotification]) -> None:
    """Stores them and puts the job that processes them, in the caller's transaction."""
    rows: list[dict[str, Any]] = [
        {
            "digest": one.digest,
            "is_test": one.is_test,
            "sealed": one.sealed,
            "received_at": one.at,
            "done": 0,
            "unreadable": 0,
        }
        for one in sealed
    ]
    tx.run_many(insert_if_new(tx.dialect.name, notifications, WRITTEN), rows)
    # One job processes all that wait, so the key allows only one waiting job.
    put(tx, PROCESS, {}, key=PROCESS, urgent=True)


def has_waiting_notifications(tx: Transaction, until: datetime) -> bool:
    """Whether one that came until then has not been processed."""
    oldest = oldest_waiting_notification(tx)
    return oldest is not None and oldest <= until


def oldest_waiting_notification(tx: Transaction) -> datetime | None:
    """When the first of those came that have not been processed; None if all are."""
    return tx.orm.scalar(
        select(Notification.received_at).where(Notification.processed_at.is_(None)).order_by(Notification.id).limit(1)
    )


def prune_notifications(tx: Transaction, now: datetime, days: int) -> None:
    """Deletes old notifications that were processed. Until then one that comes again is known by its digest."""
    tx.orm.execute(
        delete(Notification).where(
            Notification.processed_at.is_not(None), Notification.received_at < now - timedelta(days=days)
        )
    )


def _place(digest: bytes) -> str:
    return f"notification:{digest.hex()}"
