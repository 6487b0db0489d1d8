"""Jobs that come back by themselves. A row for each says when next; who moves it on puts the job."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import String, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, Database, Utc
from ficha.jobs.kinds import Scheduled
from ficha.jobs.queue import put


class ScheduleRow(Base):
    __tablename__ = "job_schedule"

    kind: Mapped[str] = mapped_column(String(128), primary_key=True)
    next_at: Mapped[datetime] = mapped_column(Utc)


def enter(session: Session, scheduled: Iterable[Scheduled], now: datetime) -> None:
    """A new schedule is due at once. One that has become more frequent does not wait for its old turn."""
    for item in scheduled:
        row = session.get(ScheduleRow, item.kind)
        if row is not None:
            row.next_at = min(row.next_at, now + item.every)
            continue
        try:
            with session.begin_nested():
                session.add(ScheduleRow(kind=item.kind, next_at=now))
        except IntegrityError:
            pass  # Another process that starts with us was quicker.


def put_what_is_due(database: Database, scheduled: Iterable[Scheduled], now: datetime) -> None:
    every = {item.kind: item.every for item in scheduled}
    with database.reading() as session:
        due = session.execute(
            select(ScheduleRow.kind, ScheduleRow.next_at).where(ScheduleRow.kind.in_(every), ScheduleRow.next_at <= now)
        ).all()
    for kind, planned in due:
        # The rhythm is kept, and turns that were missed are not made up for.
        missed = (now - planned) // every[kind]
        with database.writing() as session:
            if move_on(session, kind, planned, planned + (missed + 1) * every[kind]):
                put(session, kind, {}, key=f"schedule:{kind}")


def move_on(session: Session, kind: str, planned: datetime, following: datetime) -> bool:
    """True for exactly one of those who try at the same time."""
    moved = session.scalar(
        update(ScheduleRow)
        .where(ScheduleRow.kind == kind, ScheduleRow.next_at == planned)
        .values(next_at=following)
        .returning(ScheduleRow.kind)
        .execution_options(synchronize_session=False)
    )
    return moved is not None
