"""Who saw or changed a record: an append-only list per record, each entry sealed by the hash of the one before."""

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Index, LargeBinary, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, BigId, Json, Utc

START = bytes(32)


class AuditEntry(Base):
    """Names and ids, never content. No foreign keys: the log outlives what it speaks of."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ux_audit_entries_record_seq", "record_id", "seq", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(BigId)
    seq: Mapped[int]
    at: Mapped[datetime] = mapped_column(Utc)
    actor: Mapped[str] = mapped_column(String(60))
    action: Mapped[str] = mapped_column(String(40))
    what: Mapped[list[str]] = mapped_column(Json)
    previous: Mapped[bytes] = mapped_column(LargeBinary(32))
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))


@dataclass(frozen=True)
class Actor:
    kind: str
    id: int | None = None

    def __str__(self) -> str:
        return self.kind if self.id is None else f"{self.kind}:{self.id}"


def note(session: Session, record_id: int, actor: Actor, action: str, what: list[str], now: datetime) -> AuditEntry:
    """Adds an entry. The caller holds the record's row, so two entries never claim one place;
    the unique index is there in case somebody forgets."""
    last = session.execute(
        select(AuditEntry.seq, AuditEntry.hash)
        .where(AuditEntry.record_id == record_id)
        .order_by(AuditEntry.seq.desc())
        .limit(1)
    ).one_or_none()
    seq, previous = (1, START) if last is None else (last.seq + 1, last.hash)
    entry = AuditEntry(
        record_id=record_id, seq=seq, at=now, actor=str(actor), action=action, what=what, previous=previous
    )
    entry.hash = entry_hash(entry)
    session.add(entry)
    session.flush()
    return entry


def entry_hash(entry: AuditEntry) -> bytes:
    content = [entry.record_id, entry.seq, entry.at.astimezone(UTC).isoformat(), entry.actor, entry.action, entry.what]
    canonical = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
    return hashlib.sha256(entry.previous + canonical).digest()


def first_broken(session: Session, record_id: int) -> AuditEntry | None:
    """The first entry that was altered, or that follows one that was removed; None when the chain is whole."""
    entries = session.scalars(select(AuditEntry).where(AuditEntry.record_id == record_id).order_by(AuditEntry.seq))
    previous = START
    for seq, entry in enumerate(entries, start=1):
        if entry.seq != seq or entry.previous != previous or entry.hash != entry_hash(entry):
            return entry
        previous = entry.hash
    return None
