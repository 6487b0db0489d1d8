"""A medical record as a whole: its number, its owner and the key that encrypts its content."""

from datetime import datetime

from sqlalchemy import ForeignKey, String, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.accounts.accounts import Account
from ficha.audit import log as audit
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Base, BigId, Utc
from ficha.core.ids import random_number
from ficha.core.secrets import HasDataKey


class Record(HasDataKey, Base):
    """`id` is the wire's fmd_code: positive, random, never given twice."""

    __tablename__ = "records"

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    account_id: Mapped[int | None] = mapped_column(ForeignKey(Account.id, ondelete="SET NULL"), index=True)
    relacion: Mapped[str] = mapped_column(String(60))
    template_type: Mapped[str] = mapped_column(String(20), server_default="general")
    # Counts every change of any model: the ETag of the whole record.
    version: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[datetime] = mapped_column(Utc)
    erased_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def key_place(self) -> str:
        return key_place_of(self.id)


def key_place_of(record_id: int) -> str:
    """Bound into the wrapping of a record's key."""
    return f"record:{record_id}"


def create_record(session: Session, account_id: int, relacion: str, keyring: Keyring, now: datetime) -> Record:
    """Creates an empty record with a key of its own."""
    while True:
        record = Record(
            id=random_number(),
            account_id=account_id,
            relacion=relacion,
            template_type="general",
            version=0,
            created_at=now,
        )
        record.store_key(keyring, new_key())
        try:
            with session.begin_nested():
                session.add(record)
                session.flush()
        except IntegrityError:  # The number is taken: one in two thousand million.
            continue
        audit.note(session, record.id, audit.Actor("account", account_id), "record.created", [], now)
        return record


def records_of(session: Session, account_id: int) -> list[Record]:
    return list(session.scalars(select(Record).where(Record.account_id == account_id).order_by(Record.created_at)))


def erase_record(session: Session, record: Record, actor: audit.Actor, now: datetime) -> None:
    """Destroys the key, so that the content cannot be read, in backups neither. The audit log stays."""
    record.destroy_key()
    record.account_id, record.erased_at, record.relacion = None, now, ""
    audit.note(session, record.id, actor, "record.erased", [], now)
