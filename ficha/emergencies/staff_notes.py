"""What staff write down about an emergency: sealed with the record's key, which is destroyed with it. Whoever opens a
note says why; that goes into the record's log, and the owner is told."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from sqlalchemy import ForeignKey, Index, LargeBinary, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.text_types import TextLimits
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency

MOST_NOTES = 200
NoteWords = Annotated[str, TextLimits(2000)]


class NoteKind(StrEnum):
    NOTE = "note"
    # Why whoever had the emergency handed it back.
    HANDED_BACK = "handed_back"


class NoteUnknown(FichaError):
    status = 404
    code = "nota_desconocida"
    message = "Esa emergencia no tiene una nota con ese número."


class NotesFull(FichaError):
    status = 409
    code = "notas_llenas"
    message = "En esta emergencia ya no caben más notas."


class StaffNote(Base):
    """Places are counted from 1 without a gap."""

    __tablename__ = "staff_notes"
    __table_args__ = (
        Index("ux_staff_notes_place", "emergency_id", "place", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    emergency_id: Mapped[int] = mapped_column(ForeignKey(Emergency.id))
    place: Mapped[int]
    kind: Mapped[str] = mapped_column(String(12))
    account_id: Mapped[int] = mapped_column(BigId)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    at: Mapped[datetime] = mapped_column(Utc)


@dataclass(frozen=True)
class NoteWriter:
    """Adds notes to an emergency. Whoever makes one has locked the record. `key` is the record's."""

    tx: Transaction
    key: bytes
    emergency_id: int
    account_id: int

    def add(self, kind: NoteKind, words: str, now: datetime) -> tuple[StaffNote, bool]:
        """The same words again by whoever wrote the last note are that note: a form that was sent twice. Says whether
        it is new. Raises NotesFull."""
        notes = notes_of(self.tx, self.emergency_id)
        last = notes[-1] if notes and kind is NoteKind.NOTE else None
        is_hers = last is not None and (last.kind, last.account_id) == (kind, self.account_id)
        if last is not None and is_hers and words_of_note(self.key, last) == words:
            return last, False
        # There is always room for why it was handed back.
        if kind is NoteKind.NOTE and len(notes) >= MOST_NOTES:
            raise NotesFull
        place = len(notes) + 1
        note = StaffNote(
            emergency_id=self.emergency_id,
            place=place,
            kind=kind,
            account_id=self.account_id,
            sealed=seal(self.key, words.encode(), _sealing_context(self.emergency_id, place)),
            at=now,
        )
        self.tx.orm.add(note)
        self.tx.orm.flush()
        return note, True


def notes_of(tx: Transaction, emergency_id: int, *, after: int = 0, limit: int | None = None) -> list[StaffNote]:
    """In order: all of them, or so many above the place `after`."""
    query = select(StaffNote).where(StaffNote.emergency_id == emergency_id, StaffNote.place > after)
    return list(tx.orm.scalars(query.order_by(StaffNote.place).limit(limit)))


def note_at(tx: Transaction, emergency_id: int, place: int) -> StaffNote:
    """Raises NoteUnknown."""
    query = select(StaffNote).where(StaffNote.emergency_id == emergency_id, StaffNote.place == place)
    found = tx.orm.scalars(query).one_or_none()
    if found is None:
        raise NoteUnknown
    return found


def words_of_note(key: bytes, note: StaffNote) -> str:
    """Empty if it cannot be unsealed. For whoever has opened it."""
    try:
        return unseal(key, note.sealed, _sealing_context(note.emergency_id, note.place)).decode()
    except Tampered:
        return ""


def _sealing_context(emergency_id: int, place: int) -> str:
    return f"emergency:{emergency_id}:note:{place}"
