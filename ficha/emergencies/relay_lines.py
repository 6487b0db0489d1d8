"""What whoever is with the person and the alerted contacts write to each other: the table, and its lines in order.

The words are sealed with the record's key, which is destroyed with it. Neither side's number is here, except one that
whoever is with the person left to be called at."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ForeignKey, Index, LargeBinary, String, exists, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency
from ficha.jobs.queue import put

RELAY = "emergencia.relevo"
LONGEST_WORDS = 300


class LineKind(StrEnum):
    WORDS = "words"
    PHONE = "phone"


class RelayFull(FichaError):
    status = 409
    code = "relevo_lleno"
    message = "En esta emergencia ya no caben más mensajes. Llame por teléfono."


class RelayMessage(Base):
    """Places are counted from 1 without a gap, for both sides together."""

    __tablename__ = "relay_messages"
    __table_args__ = (
        Index("ux_relay_messages_place", "emergency_id", "place", unique=True),
        Index("ux_relay_messages_once", "emergency_id", "once", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    emergency_id: Mapped[int] = mapped_column(ForeignKey(Emergency.id))
    place: Mapped[int]
    # The contact who wrote it; none for whoever is with the person.
    contact_id: Mapped[str | None] = mapped_column(String(8))
    kind: Mapped[str] = mapped_column(String(6))
    # Names where it came from: the same message or form twice is one line.
    once: Mapped[str] = mapped_column(String(64))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    at: Mapped[datetime] = mapped_column(Utc)


@dataclass(frozen=True)
class RelayLine:
    place: int
    contact_id: str | None
    kind: LineKind
    words: str
    at: datetime


def relay_lines(tx: Transaction, key: bytes, emergency_id: int) -> list[RelayLine]:
    """All of them, in order. One that cannot be unsealed is left out."""
    query = select(RelayMessage).where(RelayMessage.emergency_id == emergency_id).order_by(RelayMessage.place)
    lines = []
    for row in tx.orm.scalars(query):
        try:
            words = unseal(key, row.sealed, _sealing_context(emergency_id, row.place)).decode()
        except Tampered:
            continue
        lines.append(RelayLine(row.place, row.contact_id, LineKind(row.kind), words, row.at))
    return lines


def emergencies_with_relay(tx: Transaction, record_id: int) -> list[int]:
    """The emergencies of the record in which anything was written."""
    has_lines = exists().where(RelayMessage.emergency_id == Emergency.id)
    found = select(Emergency.id).where(Emergency.record_id == record_id, has_lines)
    return list(tx.orm.scalars(found.order_by(Emergency.id)))


@dataclass
class RelayWriter:
    """Adds lines to an emergency. Whoever makes one has locked the record. `most` is what either side may write."""

    tx: Transaction
    key: bytes
    emergency_id: int
    most: int

    def __post_init__(self) -> None:
        rows = self.tx.orm.execute(
            select(RelayMessage.once, RelayMessage.contact_id).where(RelayMessage.emergency_id == self.emergency_id)
        ).all()
        self.known = {row.once for row in rows}
        self._counts = {True: 0, False: 0}
        for row in rows:
            self._counts[row.contact_id is None] += 1

    def is_full_for(self, contact_id: str | None) -> bool:
        return self._counts[contact_id is None] >= self.most

    def add(self, contact_id: str | None, kind: LineKind, words: str, once: str, at: datetime) -> bool:
        """False if it was there already. Raises RelayFull."""
        if once in self.known:
            return False
        if self.is_full_for(contact_id):
            raise RelayFull
        self.known.add(once)
        self._counts[contact_id is None] += 1
        place = len(self.known)
        sealed = seal(self.key, words.encode(), _sealing_context(self.emergency_id, place))
        self.tx.orm.add(
            RelayMessage(
                emergency_id=self.emergency_id,
                place=place,
                contact_id=contact_id,
                kind=kind,
                once=once,
                sealed=sealed,
                at=at,
            )
        )
        self.tx.orm.flush()
        return True


def queue_relay(tx: Transaction, emergency_id: int) -> None:
    """Queues the job that sends the contacts what they have not got yet."""
    put(tx, RELAY, {"emergency_id": emergency_id}, key=f"{RELAY}:{emergency_id}", urgent=True)


def _sealing_context(emergency_id: int, place: int) -> str:
    return f"emergency:{emergency_id}:relay:{place}"
