"""The answer to a reminder: by the signed link of the mail, once, or by a button of the message."""

import base64
import hmac
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import delete, update

from ficha.accounts.tokens import Caller
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, OpenFmd, open_fmd
from ficha.fmd.catalog import CATALOG
from ficha.fmd.changes import change_model
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.freshness import confirmed
from ficha.fmd.stored_documents import stored_documents
from ficha.products.statements import live_codes
from ficha.reminders.reminders import Reminder, ReminderChoice, oldest_fact

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
            change_model(tx, fmd, model, confirmed(document.document, now.date()), now, merges=False)
        except InvalidDocument:
            is_done = False
    oldest = oldest_fact({reminder.model: document.document}, now.date())
    return Answered(reminder, f"/app/{code}/{reminder.model}?en={oldest.place if oldest else ''}", is_done)


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
