"""How often an owner is asked, each time that she was, and her answer: by the signed link of the mail, once, or by a
button of the message."""

import base64
import hmac
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, String, UniqueConstraint, delete, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Caller
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, OpenFmd, open_fmd
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.changes import change_model
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.freshness import Freshness, Level, confirmed, freshness
from ficha.fmd.model_parts import Canal
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import stored_documents
from ficha.messaging.message_content import erase_messages_about
from ficha.products.statements import live_codes

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
    """The fact that is least to be trusted: its model, its field in the form, and how old it is."""

    model: str
    field: str
    freshness: Freshness


def oldest_fact(documents: Mapping[str, Document], today: date) -> OldestFact | None:
    """By the rule of the stranger's page. None where there is no fact."""
    found = [
        OldestFact(
            model.about.wire, f"{name}.{index}", freshness(item.get("confirmado_en"), model.about.fresh_days, today)
        )
        for model in CATALOG
        for name, items in documents.get(model.about.wire, {}).items()
        for index, item in enumerate(items if isinstance(items, list) else ())
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


SECRET = "reminders"  # noqa: S105  The name of the secret.
LINK_LIFE = timedelta(days=30)
MOST_DIGITS = 18


class ReminderAnswer(StrEnum):
    YES = "si"
    NO = "no"
    STOP = "basta"


class ReminderUnknown(FichaError):
    """Never sent, answered already, too old, or of a record that is no longer hers: all look the same."""

    status = 410
    code = "recordatorio_vencido"
    message = "Ese enlace ya no sirve: venció o se usó. Puede confirmar los datos dentro de su cuenta."


class Answered(NamedTuple):
    """`path` is where the fact can be corrected. `is_done` is False where that is left to do: after a no, and after a
    yes to what the rules of today refuse."""

    reminder: Reminder
    path: str
    is_done: bool


def link_token(secrets: Secrets, reminder_id: int) -> str:
    """Signed, and the same each time: a mail that is sent again brings the same link."""
    return f"{reminder_id}-{_signature(secrets, reminder_id)}"


def reminder_with(tx: Transaction, secrets: Secrets, token: str, now: datetime) -> Reminder:
    """Raises ReminderUnknown."""
    number, _, signature = token.partition("-")
    if not (number.isascii() and number.isdecimal()) or len(number) > MOST_DIGITS:
        raise ReminderUnknown
    if not hmac.compare_digest(_signature(secrets, int(number)).encode(), signature.encode("utf-8", "replace")):
        raise ReminderUnknown
    return _unanswered(tx, int(number), now)


def answer_reminder(
    tx: Transaction, keyring: Keyring, reminder_id: int, answer: ReminderAnswer, now: datetime, *, origin: str = ""
) -> Answered:
    """Yes confirms the whole section today; no leads to its form; the third ends the reminders. Counts once: of two
    answers at once, one. Locks the record's row, and then the reminder's. Raises ReminderUnknown."""
    reminder = _unanswered(tx, reminder_id, now)
    fmd, code = _opened(tx, keyring, reminder, now, origin)
    spent = tx.orm.execute(
        update(Reminder)
        .where(Reminder.id == reminder_id, Reminder.answered_at.is_(None))
        .values(answer=answer, answered_at=now)
        .returning(Reminder.id)
    ).one_or_none()
    if spent is None:
        raise ReminderUnknown
    if answer is ReminderAnswer.STOP:
        tx.orm.execute(delete(ReminderChoice).where(ReminderChoice.record_id == reminder.record_id))
    document = stored_documents(tx, fmd.id, fmd.key, [reminder.model]).get(reminder.model)
    if document is None:
        return Answered(reminder, f"/app/{code}/{reminder.model}", answer is not ReminderAnswer.NO)
    is_done = answer is not ReminderAnswer.NO
    if answer is ReminderAnswer.YES:
        model = CATALOG.find(reminder.model)
        assert model is not None
        try:
            change_model(tx, fmd, model, confirmed(document.document, now.date(), fmd.fuente), now, merges=False)
        except InvalidDocument:
            is_done = False
    oldest = oldest_fact({reminder.model: document.document}, now.date())
    return Answered(reminder, f"/app/{code}/{reminder.model}?en={oldest.field if oldest else ''}", is_done)


def _opened(tx: Transaction, keyring: Keyring, reminder: Reminder, now: datetime, origin: str) -> tuple[OpenFmd, str]:
    """As her account opens it, if it still may."""
    live = live_codes(tx, [reminder.record_id])
    caller = Caller(reminder.account_id, 0, "", frozenset())
    try:
        fmd = open_fmd(tx, keyring, caller, live[0].code, now, origin=origin) if live else None
    except FmdNotFound:
        fmd = None
    if fmd is None or not fmd.rights.manages:
        raise ReminderUnknown
    return fmd, live[0].code


def _unanswered(tx: Transaction, reminder_id: int, now: datetime) -> Reminder:
    reminder = tx.orm.get(Reminder, reminder_id)
    if reminder is None or reminder.answered_at is not None or reminder.asked_at < now - LINK_LIFE:
        raise ReminderUnknown
    return reminder


def _signature(secrets: Secrets, reminder_id: int) -> str:
    signed = secrets.keyed_hash(SECRET, f"reminder:{reminder_id}")
    return base64.urlsafe_b64encode(signed).decode().rstrip("=").replace("-", ".")
