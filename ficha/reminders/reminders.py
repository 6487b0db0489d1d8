"""How often an owner is asked, and each time that she was: the tables, and what is asked about."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, String, UniqueConstraint, delete
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.db import Base, BigId, Utc
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.freshness import Freshness, Level, freshness
from ficha.fmd.model_parts import Canal
from ficha.fmd.records import Record
from ficha.messaging.erasure import erase_messages_about

ABOUT = "recordatorio:"
LEVELS = list(Level)


class Every(StrEnum):
    MONTHLY = "mensual"
    QUARTERLY = "trimestral"

    @property
    def step(self) -> timedelta:
        return timedelta(days=30 if self is Every.MONTHLY else 91)


class ReminderChoice(Base):
    """That somebody wants to be asked about a record. Who wants nothing has no row."""

    __tablename__ = "reminder_choices"

    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), primary_key=True, autoincrement=False)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    every: Mapped[str] = mapped_column(String(12))
    channel: Mapped[str] = mapped_column(String(10))
    next_at: Mapped[datetime] = mapped_column(Utc, index=True)


class Reminder(Base):
    """One question. There is one for a record and a period, whatever dies when; `mail` is the state of its mail."""

    __tablename__ = "reminders"
    __table_args__ = (
        UniqueConstraint("record_id", "period", name="uq_reminders_record_period"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id))
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    # The day on which it was due.
    period: Mapped[str] = mapped_column(String(10))
    model: Mapped[str] = mapped_column(String(40))
    asked_at: Mapped[datetime] = mapped_column(Utc)
    answer: Mapped[str | None] = mapped_column(String(10))
    answered_at: Mapped[datetime | None] = mapped_column(Utc)
    mail: Mapped[str | None] = mapped_column(String(10))


class OldestFact(NamedTuple):
    """The fact that is least to be trusted: its model, its place in the form, and how old it is."""

    model: str
    place: str
    freshness: Freshness


def oldest_fact(documents: Mapping[str, Document], today: date) -> OldestFact | None:
    """By the rule of the stranger's page. None where there is no fact."""
    found = [
        OldestFact(
            model.about.wire,
            f"{name}.{place}",
            freshness(item.get("confirmado_en"), model.about.fresh_days, today),
        )
        for model in CATALOG
        for name, items in documents.get(model.about.wire, {}).items()
        for place, item in enumerate(items if isinstance(items, list) else ())
        if isinstance(item, Mapping) and "id" in item
    ]
    return max(found, key=lambda fact: _age(fact.freshness), default=None)


def _age(found: Freshness) -> tuple[int, float]:
    return LEVELS.index(found.level), float("inf") if found.days is None else found.days


def choose(tx: Transaction, fmd: OpenFmd, account_id: int, every: Every | None, channel: Canal, now: datetime) -> None:
    """Sets how often this account is asked about the record, by which way; None: never. Raises MayNotManage."""
    fmd.must_manage()
    choice = tx.orm.get(ReminderChoice, fmd.id)
    if every is None:
        if choice is not None:
            tx.orm.delete(choice)
        return
    if choice is None:
        choice = ReminderChoice(record_id=fmd.id)
        tx.orm.add(choice)
    if choice.every != every or choice.account_id != account_id:
        choice.next_at = now + every.step
    choice.account_id, choice.every, choice.channel = account_id, every, channel


def choice_of(tx: Transaction, record_id: int) -> ReminderChoice | None:
    return tx.orm.get(ReminderChoice, record_id)


def erase_reminders(tx: Transaction, record_id: int) -> None:
    """Of an erased record, with the messages that asked about it."""
    tx.orm.execute(delete(ReminderChoice).where(ReminderChoice.record_id == record_id))
    gone = tx.orm.scalars(delete(Reminder).where(Reminder.record_id == record_id).returning(Reminder.id)).all()
    erase_messages_about(tx, [f"{ABOUT}{reminder_id}" for reminder_id in gone])
