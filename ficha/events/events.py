"""What happened, one row for each person who is to hear of it: written with the change itself, kept for some days."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Index, String, Text, cast, delete, func, insert, literal, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, BigId, Json, Utc
from ficha.events.sqlite_wakeup import ring_after_commit

CHANNEL = "ficha_events"
BITE = 1000


class Event(Base):
    """Ids, states and times: what an event is about is read where it is kept, by who may read it there."""

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_position", "xid", "id"),
        Index("ix_events_account_position", "account_id", "xid", "id"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # On PostgreSQL the transaction that wrote it; on SQLite, where one writes at a time, always 0.
    xid: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(Utc)
    # Nobody in particular means staff. No foreign key: what was told stays told.
    account_id: Mapped[int | None] = mapped_column(BigId)
    kind: Mapped[str] = mapped_column(String(40))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)


class Position(NamedTuple):
    """A place in the list. Ids are given out in one order and committed in another; the transaction comes first."""

    xid: int
    id: int


START = Position(0, 0)


def publish(
    session: Session,
    kind: str,
    payload: Mapping[str, Any],
    now: datetime,
    *,
    accounts: Iterable[int] = (),
    staff: bool = False,
) -> None:
    """Tells these accounts, and staff if asked, once the caller's transaction is committed; never before.

    The payload holds ids, states and times, and nothing medical or written by a person.
    """
    told: list[int | None] = [*sorted(set(accounts)), *([None] if staff else [])]
    if not told:
        return
    is_sqlite = session.get_bind().dialect.name == "sqlite"
    xid = literal(0) if is_sqlite else cast(cast(func.pg_current_xact_id(), Text), BigInteger)
    rows = [{"at": now, "account_id": who, "kind": kind, "payload": dict(payload)} for who in told]
    # On the connection: nobody needs the rows as objects.
    session.connection().execute(insert(Event.__table__).values(xid=xid), rows)  # type: ignore[arg-type]
    if is_sqlite:
        ring_after_commit(session)
    else:
        session.execute(select(func.pg_notify(CHANNEL, "")))


def prune_events(session: Session, before: datetime) -> int:
    """What is older goes, but never the newest row: it marks the place to go on from."""
    newest = session.scalar(select(Event.id).order_by(Event.xid.desc(), Event.id.desc()).limit(1))
    gone = 0
    while newest is not None:
        # Ids grow with time, near enough: the oldest are found without an index on time.
        page = session.execute(select(Event.id, Event.at).order_by(Event.id).limit(BITE)).all()
        old = [row.id for row in page if row.at < before and row.id != newest]
        session.execute(delete(Event).where(Event.id.in_(old)))
        gone += len(old)
        if len(old) < BITE:
            break
    return gone
