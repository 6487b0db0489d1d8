"""Erases an account: destroys its records' keys and what is sealed elsewhere, retires codes, deletes the row.

The records' logs stay. Decision 3 says what a backup can still open.
"""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, lock_account
from ficha.audit.log import Actor
from ficha.cards.carnets import erase_carnets
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.devices.document_lookups import erase_lookup
from ficha.emergencies.erasure import erase_emergencies
from ficha.enrolment.quoted_people import erase_answers_about_record, erase_answers_of_account
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.break_glass import erase_glass
from ficha.fmd.entries import erase_entries
from ficha.fmd.grants import erase_grants
from ficha.fmd.records import Record, erase_record, records_of
from ficha.institutions.members import end_memberships
from ficha.institutions.roster_doubts import forget_doubts_of
from ficha.jobs.empty_wal import put_empty_wal
from ficha.messaging.erasure import erase_threads_of
from ficha.messaging.opened_messages import erase_openings
from ficha.messaging.record_invitations import erase_invitation_messages
from ficha.notices.erasure import erase_notices
from ficha.photos.photos import erase_photo
from ficha.products.codes import retire_codes
from ficha.reminders.reminders import erase_reminders


class OnlyRecord(FichaError):
    """An account has at least one record."""

    status = 409
    code = "unica_ficha"
    message = "Es la única ficha de su cuenta. Para borrarla, borre la cuenta."


def erase_one_record(session: Session, fmd: OpenFmd, now: datetime) -> None:
    """Erases a record and leaves its account. Only the owner may: a guardian's right ends, and this does not. Raises
    MayNotManage or OnlyRecord."""
    if fmd.via != "owner":
        raise MayNotManage
    account_id = fmd.record.account_id
    assert account_id is not None
    lock_account(session, account_id)  # Of two at once, both could find another record left.
    records = records_of(session, account_id)
    if len(records) == 1:
        raise OnlyRecord
    erase_answers_about_record(session, account_id, fmd.id)
    _erase(session, next(record for record in records if record.id == fmd.id), fmd.actor, now)
    put_empty_wal(session)


def erase_account(session: Session, keyring: Keyring, account_id: int, actor: Actor, now: datetime) -> None:
    records = records_of(session, account_id)
    record_ids = [record.id for record in records]
    erase_answers_of_account(session, account_id, record_ids)
    for record in records:
        _erase(session, record, actor, now)
    erase_threads_of(session, keyring, account_id, record_ids)
    session.flush()
    # Tokens, browser sessions and codes of the account go with its row.
    session.execute(delete(Account).where(Account.id == account_id))
    put_empty_wal(session)


def erase_expired_accounts(session: Session, keyring: Keyring, now: datetime) -> int:
    """Erases accounts of the test registration whose time is over; returns how many."""
    gone = session.scalars(select(Account.id).where(Account.vanishes_at <= now)).all()
    for account_id in gone:
        erase_account(session, keyring, account_id, Actor("service"), now)
    return len(gone)


def _erase(session: Session, record: Record, actor: Actor, now: datetime) -> None:
    """A record with all that is about it."""
    retire_codes(session, record.id, now)
    erase_record(session, record, actor, now)
    erase_carnets(session, record.id, now)
    erase_entries(session, record.id)
    erase_emergencies(session, record.id, actor, now)
    erase_glass(session, record.id)
    erase_grants(session, record.id)
    erase_invitation_messages(session, record.id)
    forget_doubts_of(session, record.id)
    end_memberships(session, record.id, now)
    erase_openings(session, record.id)
    erase_notices(session, record.id)
    erase_reminders(session, record.id)
    erase_photo(session, record.id)
    erase_lookup(session, record.id)
