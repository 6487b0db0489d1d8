"""A medical record as a whole: its number, its owner and the key that encrypts its content."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import BigInteger, ForeignKey, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.audit import log as audit
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc
from ficha.core.secrets import HasDataKey, opened_key
from ficha.core.transaction import Transaction


class Record(HasDataKey, Base):
    """`id` is the wire's fmd_code: positive, random, never given twice."""

    __tablename__ = "records"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    account_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id, ondelete="SET NULL"), index=True)
    relacion: Mapped[str] = mapped_column(String(60))
    template_type: Mapped[str] = mapped_column(String(20), server_default="general")
    # Counts every change of any model: the ETag of the whole record.
    version: Mapped[int] = mapped_column(server_default="0")
    # Of all versions of all models, encrypted: what its history takes.
    stored_bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    created_at: Mapped[datetime] = mapped_column(Utc)
    # When it was handed over to the account whose it is. None for one that was begun for it.
    received_at: Mapped[datetime | None] = mapped_column(Utc)
    erased_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def key_bound_to(self) -> str:
        return record_key_bound_to(self.id)


def record_key_bound_to(record_id: int) -> str:
    """Bound into the wrapping of a record's key."""
    return f"record:{record_id}"


class RecordRow(NamedTuple):
    """A record's row as plain values, by prepared statements. Who is to change it has locked it."""

    id: int
    account_id: int | None
    relacion: str
    template_type: str
    version: int
    stored_bytes: int
    created_at: datetime
    erased_at: datetime | None
    key_id: str | None
    wrapped_key: bytes | None

    def open_key(self, keyring: Keyring) -> bytes:
        """Raises KeyDestroyed, or Tampered if it does not open."""
        return opened_key(keyring, self.key_id, self.wrapped_key, record_key_bound_to(self.id))


RECORD_COLUMNS = [getattr(Record, name) for name in RecordRow._fields]


# Of an account's records: those that it received come after its own, so that its first one stays the first.
OLDEST_FIRST = (Record.received_at.nulls_first(), Record.created_at)


def records_of(tx: Transaction, account_id: int) -> list[Record]:
    return list(tx.orm.scalars(select(Record).where(Record.account_id == account_id).order_by(*OLDEST_FIRST)))


def lock_records_of(tx: Transaction, account_id: int) -> list[Record]:
    """Those of an account that is locked, so that none is added to it. Looked for again: of whoever gave a record away
    while this waited for it, another one was opened in its place."""
    query = select(Record).where(Record.account_id == account_id).order_by(Record.id).with_for_update()
    query = query.execution_options(populate_existing=True)
    locked = tx.orm.scalars(query).all()
    while (found := tx.orm.scalars(query).all()) != locked:
        locked = found
    return list(locked)


def erase_record(tx: Transaction, record: Record, actor: audit.Actor, now: datetime) -> None:
    """Destroys the key, so that the content cannot be read. Decision 3 says what backups can open. The log stays."""
    record.destroy_key()
    record.account_id, record.erased_at, record.relacion, record.stored_bytes = None, now, "", 0
    audit.note(tx, record.id, actor, "record.erased", [], now)
