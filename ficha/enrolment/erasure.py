"""Erases an account: destroys its records' keys and what is sealed elsewhere, retires codes, deletes the row.

The records' logs stay. Decision 3 says what a backup can still open.
"""

from datetime import datetime, timedelta

from sqlalchemy import delete, select

from ficha.accounts.accounts import Account, lock_account
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.cards.carnets import erase_carnets
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.devices.devices import erase_lookup
from ficha.emergencies.state_changes import erase_emergencies
from ficha.enrolment.people_in_kept_answers import erase_answers_about_record, erase_answers_of_account
from ficha.exchange.health_cards.issued import erase_cards
from ficha.exchange.health_links.links import erase_health_links
from ficha.exchange.imports.imports import erase_imports
from ficha.fmd.access import MayNotManage, find_access, open_fmd
from ficha.fmd.break_glass import erase_glass
from ficha.fmd.entries import erase_entries
from ficha.fmd.grants import erase_grants
from ficha.fmd.records import Record, erase_record, lock_records_of, records_of
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.leaving import end_membership
from ficha.institutions.members import end_memberships
from ficha.institutions.roster_doubts import forget_doubts_of
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import EMPTY_WAL, put_empty_wal
from ficha.messaging.codes_and_invitations import erase_invitation_messages
from ficha.messaging.message_content import erase_threads_of
from ficha.messaging.opened_messages import erase_openings
from ficha.notices.notices import erase_notices
from ficha.notices.opened_notes import erase_note_openings
from ficha.photos.photos import erase_photo
from ficha.products.codes import retire_codes
from ficha.reminders.reminders import erase_reminders
from ficha.webhooks.deliveries import erase_deliveries


class OnlyRecord(FichaError):
    """An account has at least one record."""

    status = 409
    code = "unica_ficha"
    message = "Es la única ficha de su cuenta. Para borrarla, borre la cuenta."


def erase_one_record(
    tx: Transaction, keyring: Keyring, caller: Caller, code: str, now: datetime, *, origin: str
) -> None:
    """Erases a record and leaves its account. Only the owner may: a guardian's right ends, and this does not. Raises
    FmdNotFound, MayNotManage or OnlyRecord."""
    account_id = caller.account_id
    if find_access(tx, account_id, code, now).via == "owner":
        lock_account(tx, account_id)  # Of two at once, both could find another record left.
    fmd = open_fmd(tx, keyring, caller, code, now, origin=origin)
    if fmd.via != "owner":
        raise MayNotManage
    records = records_of(tx, account_id)
    if len(records) == 1:
        raise OnlyRecord
    erase_answers_about_record(tx, account_id, fmd.id)
    _erase(tx, next(record for record in records if record.id == fmd.id), fmd.actor, now)
    put_empty_wal(tx)


def leave_institution(
    tx: Transaction, institution: InstitutionFacts, member_id: int, actor: Actor, now: datetime, *, origin: str = ""
) -> None:
    """She is not there any more. What the institution prepared and nobody accepted is erased. Raises NotFound."""
    prepared = end_membership(tx, institution, member_id, actor, now, origin=origin)
    if prepared is not None:
        _erase(tx, prepared, actor, now)
        put_empty_wal(tx)


def erase_account(tx: Transaction, keyring: Keyring, account_id: int, actor: Actor, now: datetime) -> None:
    """With its records: also one that it is given meanwhile, and what is given to one of them."""
    if not lock_account(tx, account_id):
        return  # By somebody else, just now.
    records = lock_records_of(tx, account_id)
    record_ids = [record.id for record in records]
    erase_answers_of_account(tx, account_id, record_ids)
    for record in records:
        _erase(tx, record, actor, now)
    erase_threads_of(tx, keyring, account_id, record_ids)
    tx.orm.flush()
    # Tokens, browser sessions and codes of the account go with its row.
    tx.orm.execute(delete(Account).where(Account.id == account_id))
    put_empty_wal(tx)


def erase_expired_accounts(tx: Transaction, keyring: Keyring, now: datetime) -> int:
    """Erases accounts of the test registration whose time is over; returns how many."""
    gone = tx.orm.scalars(select(Account.id).where(Account.vanishes_at <= now)).all()
    for account_id in gone:
        erase_account(tx, keyring, account_id, Actor("service"), now)
    return len(gone)


def _erase(tx: Transaction, record: Record, actor: Actor, now: datetime) -> None:
    """A record with all that is about it. Its row is locked: whoever gives it a code has locked it too."""
    retire_codes(tx, record.id, now)
    erase_record(tx, record, actor, now)
    erase_carnets(tx, record.id, now)
    erase_cards(tx, record.id, now)
    erase_entries(tx, record.id)
    erase_emergencies(tx, record.id, actor, now)
    erase_glass(tx, record.id)
    erase_health_links(tx, record.id)
    erase_grants(tx, record.id)
    erase_invitation_messages(tx, record.id)
    forget_doubts_of(tx, record.id)
    end_memberships(tx, record.id, now)
    erase_openings(tx, record.id)
    erase_note_openings(tx, record.id)
    erase_notices(tx, record.id)
    erase_reminders(tx, record.id)
    erase_photo(tx, record.id)
    erase_imports(tx, record.id)
    erase_lookup(tx, record.id)
    erase_deliveries(tx, record.id)


class StillRead(Exception):
    """Somebody reads an older state of the database; the job is tried again."""


class EnrolmentJobs:
    """On SQLite, what was erased is in the write-ahead log until that is emptied."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def kinds(self) -> list[Kind]:
        return [Kind(EMPTY_WAL, self.empty_wal, attempts=100, longest_wait=timedelta(minutes=1))]

    def empty_wal(self, _job: Job) -> None:
        """Raises StillRead. PostgreSQL recycles its log by itself."""
        if self._database.is_sqlite and not self._database.truncate_wal():
            raise StillRead
