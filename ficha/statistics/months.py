"""What is published of a month, for a ministry: how many people had an alert, by region, and whether any was answered.

A month is counted once, when it is over and has settled, and never again: two answers can differ by no person. Only
what may be told is stored."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from sqlalchemy import Date, Integer, String, case, cast, exists, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.db import Base, Database, Utc
from ficha.core.phones import ZONES_OF_PREFIXES
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.steps import CalledContact
from ficha.fmd.records import Record
from ficha.statistics.day_counts import Span, is_no_test
from ficha.statistics.days import day_of, span_of
from ficha.statistics.small_counts import publishable_cells

# Answers to the last alerts of a month still come in the next one.
SETTLES = timedelta(days=7)
# Each person is in one of the two: those with an answer to any of their alerts of the month, and the others.
ANSWERED, UNANSWERED = "answered", "unanswered"
GROUPS = (ANSWERED, UNANSWERED)
REST = "rest"
# Countries of the numbers of the accounts that own records: where an alert happened is sealed with the record's key,
# and an institution has no address. Always all of them: that one is missing or appears would say something, too.
OTHER = "other"
REGIONS = (*sorted(ZONES_OF_PREFIXES, key=lambda prefix: (len(prefix), prefix)), OTHER)


class PublishedCell(Base):
    """`region` is one of REGIONS, or REST: all that are not told, together. `people` is empty for fewer than ten."""

    __tablename__ = "statistic_months"

    month: Mapped[date] = mapped_column(Date, primary_key=True)
    region: Mapped[str] = mapped_column(String(6), primary_key=True)
    group: Mapped[str] = mapped_column("people_group", String(10), primary_key=True)
    people: Mapped[int | None]
    published_at: Mapped[datetime] = mapped_column(Utc)


class PublishedMonth(NamedTuple):
    """`people` by region and group, of all regions and REST."""

    month: date
    published_at: datetime
    people: dict[tuple[str, str], int | None]

    @property
    def number(self) -> int:
        """Months in their order."""
        return number_of(self.month)


def number_of(month: date) -> int:
    return month.year * 12 + month.month - 1


def month_with(number: int) -> date:
    return date(number // 12, number % 12 + 1, 1)


def published_months(tx: Transaction, *, before: date | None = None, limit: int) -> Sequence[PublishedMonth]:
    """The newest first."""
    months = select(PublishedCell.month).distinct().order_by(PublishedCell.month.desc()).limit(limit)
    if before is not None:
        months = months.where(PublishedCell.month < before)
    cells = tx.orm.scalars(select(PublishedCell).where(PublishedCell.month.in_(tx.orm.scalars(months).all())))
    found: dict[date, PublishedMonth] = {}
    for cell in cells:
        month = found.setdefault(cell.month, PublishedMonth(cell.month, cell.published_at, {}))
        month.people[cell.region, cell.group] = cell.people
    return [found[month] for month in sorted(found, reverse=True)]


def publish_months(database: Database, zone: str, now: datetime) -> None:
    """Each month in a transaction of its own."""
    with database.reading() as tx:
        due = list(_due_months(tx, zone, now))
    for month in due:
        with database.writing() as tx:
            if tx.orm.scalars(select(PublishedCell.month).where(PublishedCell.month == month).limit(1)).first() is None:
                _publish(tx, month, zone, now)


def _publish(tx: Transaction, month: date, zone: str, now: datetime) -> None:
    counts = _count(tx, Span(span_of(month, zone).start, span_of(_next(month), zone).start))
    for group in GROUPS:
        cells = publishable_cells({region: counts[region, group] for region in REGIONS})
        for region, people in {**cells.published, REST: cells.rest}.items():
            tx.orm.add(PublishedCell(month=month, region=region, group=group, people=people, published_at=now))


def _count(tx: Transaction, month: Span) -> Counter[tuple[str, str]]:
    """People, each once: who has many alerts must not fill a cell alone."""
    is_answered = exists().where(CalledContact.emergency_id == Emergency.id, CalledContact.answered_at.is_not(None))
    people = (
        select(Emergency.record_id, func.max(cast(case((is_answered, 1), else_=0), Integer)).label("is_answered"))
        .where(month.holds(Emergency.opened_at), Emergency.is_drill.is_(False), is_no_test(Emergency.record_id))
        .group_by(Emergency.record_id)
        .subquery()
    )
    rows = tx.orm.execute(
        select(Account.cod_telefono, people.c.is_answered, func.count())
        .select_from(people)
        .join(Record, Record.id == people.c.record_id)
        .outerjoin(Account, Account.id == Record.account_id)
        .group_by(Account.cod_telefono, people.c.is_answered)
    )
    counts: Counter[tuple[str, str]] = Counter()
    for prefix, answered, number in rows:
        counts[region_of(prefix), ANSWERED if answered else UNANSWERED] += number
    return counts


def _due_months(tx: Transaction, zone: str, now: datetime) -> Iterator[date]:
    """Since the first account: those that have settled and are not published."""
    began = tx.orm.scalars(select(Account.created_at).order_by(Account.id).limit(1)).one_or_none()
    published = set(tx.orm.scalars(select(PublishedCell.month).distinct()))
    month = day_of(began or now, zone).replace(day=1)
    while span_of(_next(month), zone).start + SETTLES <= now:
        if month not in published:
            yield month
        month = _next(month)


def _next(month: date) -> date:
    return month_with(number_of(month) + 1)


def csv_of(months: Sequence[PublishedMonth]) -> str:
    """A line for each month, region and group; an empty number is fewer than ten people."""
    lines = ["month,region,group,people"]
    for month in months:
        for region in (*REGIONS, REST):
            for group in GROUPS:
                people = month.people[region, group]
                lines.append(f"{month.month:%Y-%m},{region},{group},{'' if people is None else people}")
    return "".join(f"{line}\r\n" for line in lines)


def region_of(prefix: str | None) -> str:
    """Of nobody's record, or of a country that is not listed: OTHER."""
    return prefix if prefix in ZONES_OF_PREFIXES else OTHER
