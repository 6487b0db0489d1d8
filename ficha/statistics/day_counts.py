"""Counts one day, in the database: alerts, first answers, alerts by channel, scans, and messages that failed. Drills,
their test messages and people of the test registration are never among them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Float, Integer, and_, case, cast, exists, func, literal_column, or_, select
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import InstrumentedAttribute, aliased
from sqlalchemy.sql.functions import FunctionElement

from ficha.accounts.accounts import Account
from ficha.audit.chain import AuditEntry
from ficha.core.transaction import Transaction
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.steps import STAFF_CHANNEL, CalledContact, Step, StepState
from ficha.fmd.records import Record
from ficha.messaging.tables import Message

# As the partial index has it: with bound values neither database would use that.
IS_SCAN: ColumnElement[bool] = literal_column("action = 'record.read' AND via = 'tag'")
# Nothing was handed over: no address, refused, or not begun.
NOT_TRIED = (StepState.SKIPPED, StepState.SIMULATED, StepState.QUEUED)

# What is not said on the page of a link is said by a message.
ON_PAGE = "page"


class Span(NamedTuple):
    """From a moment to another, which is not in it."""

    start: datetime
    end: datetime

    def holds(self, column: InstrumentedAttribute[Any]) -> ColumnElement[bool]:
        return and_(column >= self.start, column < self.end)


class AlertCounts(NamedTuple):
    """`median_seconds` and `slow_seconds`: half of those that were answered, and nine in ten, had their first answer
    within. None where nobody answered."""

    alerts: int
    answered: int
    median_seconds: int | None
    slow_seconds: int | None


class ChannelCounts(NamedTuple):
    """Of the alerts that one channel took: how many are known to have arrived, and how many were answered. Which
    alert's link an answer on the page came by is not stored: the last one before it counts."""

    channel: str
    tried: int
    delivered: int
    answered: int


class seconds_between(FunctionElement[float]):  # noqa: N801  It is called like a function of SQL.
    """From the first time to the second."""

    type = Float()
    inherit_cache = True


@compiles(seconds_between, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **more: Any) -> str:
    start, end = (compiler.process(each, **more) for each in element.clauses)
    return f"((julianday({end}) - julianday({start})) * 86400.0)"


@compiles(seconds_between, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **more: Any) -> str:
    start, end = (compiler.process(each, **more) for each in element.clauses)
    return f"extract(epoch FROM ({end} - {start}))"


def count_alerts(tx: Transaction, day: Span) -> AlertCounts:
    first = (
        select(Emergency.opened_at, func.min(CalledContact.answered_at).label("answered_at"))
        .outerjoin(CalledContact, CalledContact.emergency_id == Emergency.id)
        .where(*_real_emergencies(day))
        .group_by(Emergency.id, Emergency.opened_at)
        .subquery()
    )
    seconds = cast(func.round(seconds_between(first.c.opened_at, first.c.answered_at)), Integer)
    ranked = (
        select(
            seconds.label("seconds"),
            func.row_number().over(order_by=seconds).label("rank"),
            func.count().over().label("number"),
        )
        .where(first.c.answered_at.is_not(None))
        .subquery()
    )

    def within(percent: int) -> ColumnElement[int | None]:
        """The slowest of the first so many in a hundred, the last of them whole."""
        is_among = ranked.c.rank <= (ranked.c.number * percent + 99) // 100
        return func.max(case((is_among, ranked.c.seconds)))

    opened = select(func.count()).select_from(first).scalar_subquery()
    return AlertCounts(*tx.orm.execute(select(opened, func.count(ranked.c.rank), within(50), within(90))).one())


def count_channels(tx: Transaction, day: Span) -> Sequence[ChannelCounts]:
    """By the day of the emergency. Those that were only asked whether they want alerts are not counted."""
    later = aliased(Step)
    tried_again = exists().where(
        later.emergency_id == Step.emergency_id,
        later.contact_id == Step.contact_id,
        later.place > Step.place,
        later.started_at <= CalledContact.answered_at,
    )
    is_answered = and_(
        CalledContact.answered_at >= Step.started_at,
        or_(
            and_(CalledContact.answered_by != ON_PAGE, Step.channel == WhatsAppChannel.name),
            and_(CalledContact.answered_by == ON_PAGE, ~tried_again),
        ),
    )
    has_arrived = or_(Step.delivered_at.is_not(None), Step.read_at.is_not(None), is_answered)
    rows = tx.orm.execute(
        select(
            Step.channel,
            func.count(),
            func.sum(case((has_arrived, 1), else_=0)),
            func.sum(case((is_answered, 1), else_=0)),
        )
        .join(Emergency, Emergency.id == Step.emergency_id)
        .outerjoin(
            CalledContact,
            and_(CalledContact.emergency_id == Step.emergency_id, CalledContact.contact_id == Step.contact_id),
        )
        .where(*_real_emergencies(day), Step.channel != STAFF_CHANNEL)
        .where(Step.state.not_in(NOT_TRIED), Step.is_question.is_(False))
        .group_by(Step.channel)
    )
    return [ChannelCounts(*row) for row in rows]


def count_scans(tx: Transaction, day: Span) -> int:
    """Stickers that were opened by their QR."""
    counted = select(func.count()).select_from(AuditEntry)
    return tx.orm.scalars(counted.where(IS_SCAN, day.holds(AuditEntry.at), is_no_test(AuditEntry.record_id))).one()


def count_failed_messages(tx: Transaction, day: Span) -> int:
    """Of ours, that the messaging platform refused or could not deliver."""
    of_drill = (
        exists()
        .where(Step.message_id == Message.id, Emergency.id == Step.emergency_id)
        .where(Emergency.is_drill.is_(True))
    )
    counted = select(func.count()).select_from(Message).where(day.holds(Message.failed_at))
    return tx.orm.scalars(counted.where(Message.is_ours.is_(True), Message.is_test.is_(False), ~of_drill)).one()


def _real_emergencies(day: Span) -> tuple[ColumnElement[bool], ...]:
    return day.holds(Emergency.opened_at), Emergency.is_drill.is_(False), is_no_test(Emergency.record_id)


def is_no_test(record_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Of a row about a record: false for people of the test registration, also after they have vanished. What
    the service itself erased was a test's: nobody else's time runs out."""
    vanishes = select(Record.id).join(Account, Account.id == Record.account_id).where(Account.vanishes_at.is_not(None))
    # Names of their own: the row that is asked about may be one of these tables.
    record, entry = aliased(Record), aliased(AuditEntry)
    has_vanished = exists().where(
        record.id == record_id,
        record.erased_at.is_not(None),
        entry.record_id == record.id,
        entry.action == "record.erased",
        entry.actor == "service",
    )
    return record_id.not_in(vanishes) & ~has_vanished
