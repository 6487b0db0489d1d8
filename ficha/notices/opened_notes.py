"""Who of staff opened which note about an emergency, and why: as with a message about a person, the owner is told."""

from datetime import datetime, timedelta

from sqlalchemy import LargeBinary, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import seal
from ficha.core.db import Base, BigId, Utc
from ficha.core.transaction import Transaction
from ficha.messaging.opened_messages import DURATION, why_context
from ficha.notices.notices import ReaderKind, queue_notice


class OpenedNote(Base):
    """`why` is encrypted with the record's key, as that of an opened message. No foreign keys: below, nothing is known
    of emergencies."""

    __tablename__ = "opened_notes"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    note_id: Mapped[int] = mapped_column(BigId, index=True)
    record_id: Mapped[int] = mapped_column(BigId, index=True)
    account_id: Mapped[int] = mapped_column(BigId)
    why: Mapped[bytes] = mapped_column(LargeBinary)
    at: Mapped[datetime] = mapped_column(Utc)


def note_opening(
    tx: Transaction, key: bytes, record_id: int, note_id: int, account_id: int, why: str, now: datetime, *, origin: str
) -> None:
    """Stores who opens the note and why, and tells the owner, each time. `key` is the record's, whose row the caller
    has locked."""
    sealed = seal(key, why.encode(), why_context(record_id))
    opened = OpenedNote(note_id=note_id, record_id=record_id, account_id=account_id, why=sealed, at=now)
    tx.orm.add(opened)
    tx.orm.flush()
    kind, never = ReaderKind.NOTE, timedelta()
    queue_notice(tx, record_id, kind, now, reader=f"{kind}:{opened.id}", origin=origin, repeat_within=never)


def has_opened_note(tx: Transaction, note_id: int, account_id: int, now: datetime) -> bool:
    """Within the hour."""
    opened = select(OpenedNote.id).where(
        OpenedNote.note_id == note_id, OpenedNote.account_id == account_id, OpenedNote.at > now - DURATION
    )
    return tx.orm.scalar(opened.limit(1)) is not None


def erase_note_openings(tx: Transaction, record_id: int) -> None:
    """The reasons go with the record; that notes were opened stays in its log."""
    tx.orm.execute(delete(OpenedNote).where(OpenedNote.record_id == record_id))
