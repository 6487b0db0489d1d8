"""A medical record as a whole: its number, its owner and the key that encrypts its content."""

from dataclasses import dataclass, fields
from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, String, bindparam, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.audit import log as audit
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Base, BigId, Utc
from ficha.core.ids import random_number
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.secrets import HasDataKey
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
    erased_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def key_place(self) -> str:
        return key_place_of(self.id)


def key_place_of(record_id: int) -> str:
    """Bound into the wrapping of a record's key."""
    return f"record:{record_id}"


@dataclass
class LockedRecord:
    """A record's row as plain values. Who is to change it has locked it; `save_record` writes what was changed."""

    id: int
    account_id: int | None
    relacion: str
    template_type: str
    version: int
    stored_bytes: int
    created_at: datetime
    erased_at: datetime | None


AnyRecord = Record | LockedRecord

_records = Base.metadata.tables[Record.__tablename__]
_ROW = select(*(_records.c[field.name] for field in fields(LockedRecord))).where(
    _records.c.id == bindparam("record_id")
)
_OF_NEW_RECORD = tuple(_records.c.keys())
_READ_RECORD = Prepared(_ROW)
_LOCK_RECORD = Prepared(_ROW.with_for_update())
_SAVE_RECORD = Prepared(
    update(_records)
    .where(_records.c.id == bindparam("record_id"))
    .values({name: bindparam(name) for name in ("relacion", "template_type", "version", "stored_bytes")})
)


def read_record_row(tx: Transaction, record_id: int) -> LockedRecord | None:
    """The same for whoever only reads: locks nothing."""
    row = tx.first(_READ_RECORD, record_id=record_id)
    return None if row is None else LockedRecord(*row)


def lock_record_row(tx: Transaction, record_id: int) -> LockedRecord | None:
    """None if there is no such record any more."""
    row = tx.first(_LOCK_RECORD, record_id=record_id)
    return None if row is None else LockedRecord(*row)


def save_record(tx: Transaction, record: LockedRecord) -> None:
    tx.run(
        _SAVE_RECORD,
        record_id=record.id,
        relacion=record.relacion,
        template_type=record.template_type,
        version=record.version,
        stored_bytes=record.stored_bytes,
    )


def create_record(
    tx: Transaction, account_id: int, relacion: str, keyring: Keyring, now: datetime
) -> tuple[LockedRecord, bytes]:
    """Creates an empty record with a key of its own, which comes with it. Nobody else sees it before the commit."""
    insert = insert_if_new(tx.dialect.name, _records, _OF_NEW_RECORD)
    while True:
        record = LockedRecord(random_number(), account_id, relacion, "general", 0, 0, now, None)
        key = new_key()
        wrapped = keyring.wrap(key, key_place_of(record.id))
        if tx.changed(insert, **vars(record), key_id=wrapped.key_id, wrapped_key=wrapped.sealed):
            break  # Else the number is taken: one in two thousand million.
    actor = audit.Actor("account", account_id)
    audit.note(tx, record.id, actor, "record.created", [], now, after=audit.CHAIN_START)
    return record, key


def records_of(tx: Transaction, account_id: int) -> list[Record]:
    return list(tx.orm.scalars(select(Record).where(Record.account_id == account_id).order_by(Record.created_at)))


def erase_record(tx: Transaction, record: Record, actor: audit.Actor, now: datetime) -> None:
    """Destroys the key, so that the content cannot be read. Decision 3 says what backups can open. The log stays."""
    record.destroy_key()
    record.account_id, record.erased_at, record.relacion, record.stored_bytes = None, now, "", 0
    audit.note(tx, record.id, actor, "record.erased", [], now)
