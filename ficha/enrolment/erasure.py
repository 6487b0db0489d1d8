"""Erases an account: destroys its records' keys, retires their codes, deletes the row. The records' logs stay."""

from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account
from ficha.audit.log import Actor
from ficha.fmd.entries import erase_entries
from ficha.fmd.records import erase_record, records_of
from ficha.products.codes import retire_codes


def erase_account(session: Session, account_id: int, actor: Actor, now: datetime) -> None:
    for record in records_of(session, account_id):
        retire_codes(session, record.id, now)
        erase_record(session, record, actor, now)
        erase_entries(session, record.id)
    session.flush()
    # Tokens, browser sessions and codes of the account go with its row.
    session.execute(delete(Account).where(Account.id == account_id))


def erase_expired_accounts(session: Session, now: datetime) -> int:
    """Erases accounts of the test registration whose time is over; returns how many."""
    gone = session.scalars(select(Account.id).where(Account.vanishes_at <= now)).all()
    for account_id in gone:
        erase_account(session, account_id, Actor("service"), now)
    return len(gone)
