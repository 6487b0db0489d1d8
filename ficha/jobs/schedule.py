"""Jobs that are put again every so often. A table row for each says when next; whoever moves it on puts the job."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import String, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, Database, Utc
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Kind
from ficha.jobs.queue import put

# The name of a kind and how often it is put.
Schedule = Mapping[str, timedelta]


class ScheduleRow(Base):
    __tablename__ = "job_schedule"

    kind: Mapped[str] = mapped_column(String(128), primary_key=True)
    next_at: Mapped[datetime] = mapped_column(Utc)


def schedule_of(kinds: Iterable[Kind]) -> Schedule:
    return {kind.name: kind.every for kind in kinds if kind.every is not None}


def enter_schedule(database: Database, schedule: Schedule) -> None:
    """A new row is due at once. One whose kind has become more frequent does not wait for its old time."""
    now = database.clock.now()
    with database.writing() as tx:
        for kind, every in schedule.items():
            row = tx.orm.get(ScheduleRow, kind)
            if row is not None:
                row.next_at = min(row.next_at, now + every)
                continue
            try:
                with tx.savepoint():
                    tx.orm.add(ScheduleRow(kind=kind, next_at=now))
            except IntegrityError:
                pass  # Another process that starts at the same time was quicker.


def put_scheduled(database: Database, schedule: Schedule) -> None:
    """Puts each kind whose time has come. Times that were missed are left out, and the rhythm is kept."""
    now = database.clock.now()
    with database.reading() as tx:
        due = tx.orm.execute(
            select(ScheduleRow.kind, ScheduleRow.next_at).where(
                ScheduleRow.kind.in_(schedule), ScheduleRow.next_at <= now
            )
        ).all()
    for kind, planned in due:
        missed = (now - planned) // schedule[kind]
        with database.writing() as tx:
            if move_on(tx, kind, planned, planned + (missed + 1) * schedule[kind]):
                put(tx, kind, {}, key=f"schedule:{kind}")


def move_on(tx: Transaction, kind: str, planned: datetime, following: datetime) -> bool:
    """True for exactly one of those who try at the same time."""
    moved = tx.orm.scalar(
        update(ScheduleRow)
        .where(ScheduleRow.kind == kind, ScheduleRow.next_at == planned)
        .values(next_at=following)
        .returning(ScheduleRow.kind)
        .execution_options(synchronize_session=False)
    )
    return moved is not None
