"""The figures of each day, as the console shows them: counted now and then by a job, so that a page reads a few rows
however much happened."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from sqlalchemy import Date, String, delete, func, select, text
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.db import Base, Database, Utc
from ficha.core.transaction import Transaction
from ficha.fmd.dates_and_amounts import zone_with
from ficha.jobs.queue import count_due
from ficha.statistics.day_counts import (
    ChannelCounts,
    Span,
    count_alerts,
    count_channels,
    count_failed_messages,
    count_scans,
)

# What a page may show at most, and what is counted of the time before there were figures.
KEPT_DAYS = 90
# Answers and delivery reports still come after midnight.
SETTLES = timedelta(days=2)
# A job that has waited for so long is overdue.
OVERDUE = timedelta(minutes=1)


class DayFigures(Base):
    """A day in the service's zone. `counted_at` is when; one counted after it settled is not counted again."""

    __tablename__ = "statistic_days"

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    alerts: Mapped[int]
    answered: Mapped[int]
    median_seconds: Mapped[int | None]
    slow_seconds: Mapped[int | None]
    scans: Mapped[int]
    failed_messages: Mapped[int]
    # The most that were found at once.
    overdue_jobs: Mapped[int] = mapped_column(server_default=text("0"))
    counted_at: Mapped[datetime] = mapped_column(Utc)


class ChannelFigures(Base):
    """What one channel did for the emergencies of a day."""

    __tablename__ = "statistic_channels"

    day: Mapped[date] = mapped_column(Date, primary_key=True)
    channel: Mapped[str] = mapped_column(String(10), primary_key=True)
    tried: Mapped[int]
    delivered: Mapped[int]
    answered: Mapped[int]


class DayRow(NamedTuple):
    """A day as plain values."""

    day: date
    alerts: int
    answered: int
    median_seconds: int | None
    slow_seconds: int | None
    scans: int
    failed_messages: int
    overdue_jobs: int
    counted_at: datetime


def days_since(tx: Transaction, first: date) -> Sequence[DayRow]:
    """The days that were counted, the oldest first."""
    columns = [getattr(DayFigures, name) for name in DayRow._fields]
    rows = tx.orm.execute(select(*columns).where(DayFigures.day >= first).order_by(DayFigures.day))
    return [DayRow(*row) for row in rows]


def channels_since(tx: Transaction, first: date) -> dict[str, ChannelCounts]:
    """The sums of all days since then, by channel."""
    c = ChannelFigures
    sums = select(c.channel, func.sum(c.tried), func.sum(c.delivered), func.sum(c.answered))
    rows = tx.orm.execute(sums.where(c.day >= first).group_by(c.channel))
    return {row[0]: ChannelCounts(*row) for row in rows}


def day_of(at: datetime, zone: str) -> date:
    return at.astimezone(zone_with(zone)).date()


def span_of(day: date, zone: str) -> Span:
    start, end = (datetime.combine(each, time(), zone_with(zone)) for each in (day, day + timedelta(days=1)))
    return Span(start.astimezone(UTC), end.astimezone(UTC))


def count_days(database: Database, zone: str, now: datetime) -> None:
    """Counts today, and what has not settled or was never counted. Each day is read without a transaction and written
    in one of its own, so that nobody waits; done twice, it finds the same."""
    with database.reading() as tx:
        days = _days_to_count(tx, zone, now)
    for day in days:
        with database.reading() as tx:
            span = span_of(day, zone)
            alerts, channels = count_alerts(tx, span), count_channels(tx, span)
            scans, failed = count_scans(tx, span), count_failed_messages(tx, span)
            overdue = sum(count_due(tx, now - OVERDUE).values()) if day == days[-1] else 0
        with database.letting_others_write(), database.writing() as tx:
            found = tx.orm.get(DayFigures, day, with_for_update=True)
            before = 0 if found is None else found.overdue_jobs
            figures = DayFigures(day=day, **alerts._asdict(), scans=scans, failed_messages=failed, counted_at=now)
            figures.overdue_jobs = max(before, overdue)
            tx.orm.merge(figures)
            tx.orm.execute(delete(ChannelFigures).where(ChannelFigures.day == day))
            tx.orm.add_all(ChannelFigures(day=day, **each._asdict()) for each in channels)


def _days_to_count(tx: Transaction, zone: str, now: datetime) -> list[date]:
    """The oldest first; today is the last."""
    began = tx.orm.scalars(select(Account.created_at).order_by(Account.id).limit(1)).one_or_none()
    today = day_of(now, zone)
    oldest = max(day_of(began or now, zone), today - timedelta(days=KEPT_DAYS - 1))
    counted = {row.day: row.counted_at for row in days_since(tx, oldest)}
    days = [oldest + timedelta(days=number) for number in range((today - oldest).days + 1)]
    settled = {day for day, at in counted.items() if at >= span_of(day, zone).end + SETTLES}
    return [day for day in days if day not in settled]
