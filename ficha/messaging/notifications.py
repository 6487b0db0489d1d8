"""Notifications as they came: kept whole and sealed before anybody reads them, so that nothing said is ever lost."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any, cast

from sqlalchemy import Boolean, Index, Integer, LargeBinary, Table, delete, select, text
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.crypto import seal, unseal
from ficha.core.db import Base, BigId, Utc, insert_or_ignore
from ficha.core.secrets import Secrets
from ficha.jobs.queue import put

PROCESS = "whatsapp.notificaciones"
IS_WAITING = text("processed_at IS NULL")


class Notification(Base):
    """`digest` makes a body that is sent again the same row. `done` counts the items that were dealt with."""

    __tablename__ = "notifications"
    __table_args__ = (
        Index("ix_notifications_waiting", "id", sqlite_where=IS_WAITING, postgresql_where=IS_WAITING),
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


notifications = cast(Table, Notification.__table__)
add = cache(partial(insert_or_ignore, notifications))  # One statement a dialect: making it costs more than running it.


@dataclass(frozen=True)
class Received:
    """A body ready to be stored: hashed and sealed, which needs no database."""

    digest: bytes
    sealed: bytes
    at: datetime
    is_test: bool


def receive(secrets: Secrets, body: bytes, now: datetime, *, is_test: bool = False) -> Received:
    # A test is told apart, so that it can never stand in the way of the real thing.
    digest = hashlib.sha256((b"test:" if is_test else b"") + body).digest()
    return Received(digest, seal(secrets.derive("notifications"), body, _place(digest)), now, is_test)


def opened(secrets: Secrets, notification: Notification) -> bytes:
    return unseal(secrets.derive("notifications"), notification.sealed, _place(notification.digest))


def keep(session: Session, received: Sequence[Received]) -> None:
    """Stores them and has them dealt with, in the caller's transaction."""
    rows: list[dict[str, Any]] = [
        {
            "digest": one.digest,
            "is_test": one.is_test,
            "sealed": one.sealed,
            "received_at": one.at,
            "done": 0,
            "unreadable": 0,
        }
        for one in received
    ]
    session.execute(add(session.get_bind().dialect.name), rows)
    # One job deals with all that wait: while it waits itself, another is not needed.
    put(session, PROCESS, {}, key=PROCESS, urgent=True)


def are_waiting(session: Session) -> bool:
    """Whether something was told that nobody has read yet."""
    return session.scalar(select(Notification.id).where(Notification.processed_at.is_(None)).limit(1)) is not None


def prune_notifications(session: Session, now: datetime, days: int) -> None:
    """Those that were dealt with. The messages themselves stay."""
    session.execute(
        delete(Notification).where(
            Notification.processed_at.is_not(None), Notification.received_at < now - timedelta(days=days)
        )
    )


def _place(digest: bytes) -> str:
    return f"notification:{digest.hex()}"
