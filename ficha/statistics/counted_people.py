"""What no figure counts: people of the test registration, also after they have vanished."""

from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from ficha.accounts.accounts import Account
from ficha.audit.chain import AuditEntry
from ficha.fmd.records import Record


def is_no_test(record_id: InstrumentedAttribute[int]) -> ColumnElement[bool]:
    """Of a row about a record. What the service itself erased was a test's: nobody else's time runs out."""
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
