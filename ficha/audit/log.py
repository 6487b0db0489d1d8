"""Who saw or changed a record: an append-only list per record, each entry sealed by the hash of the one before."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Index, LargeBinary, String, bindparam, column, func, insert, select, table
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, BigId, Json, Utc


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
    # Set for entries that waited in the spool: it keeps a crash from writing one twice.
    uid: Mapped[str | None] = mapped_column(String(32), unique=True)
    actor: Mapped[str] = mapped_column(String(60))
    via: Mapped[str] = mapped_column(String(20), server_default="")
    origin: Mapped[str] = mapped_column(String(60), server_default="")
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


class Fact(NamedTuple):
    """What is to be remembered, before it has a place in the chain."""

    record_id: int
    at: datetime
    actor: str
    action: str
    what: Sequence[str]
    via: str
    origin: str
    uid: str | None


def fact_of(entry: AuditEntry) -> Fact:
    return Fact(*(getattr(entry, name) for name in Fact._fields))


class Link(NamedTuple):
    """The end of a record's chain: what the next entry is sealed to."""

    seq: int
    hash: bytes


START = Link(0, bytes(32))

# On the bare table: the ORM's own way takes several times as long.
_entries = Base.metadata.tables[AuditEntry.__tablename__]
ADD = insert(_entries)
# The table belongs to a floor above; its numbers and its locks are all we need of it.
RECORDS = table("records", column("id", BigId))
# Two steps in the index for each record, however long its log: grouping would walk all of it.
_newest = _entries.alias("newest")
_last_seq = select(func.max(_entries.c.seq)).where(_entries.c.record_id == RECORDS.c.id).scalar_subquery()
ENDS = (
    select(RECORDS.c.id, _newest.c.seq, _newest.c.hash)
    .join_from(RECORDS, _newest, (_newest.c.record_id == RECORDS.c.id) & (_newest.c.seq == _last_seq), isouter=True)
    .where(RECORDS.c.id.in_(bindparam("records", expanding=True)))
)
# Compact and in the letters as they are: the same bytes for ever, or every seal breaks.
_canonical = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def note(
    session: Session,
    record_id: int,
    actor: Actor,
    action: str,
    what: list[str],
    now: datetime,
    *,
    via: str = "",
    origin: str = "",
    uid: str | None = None,
) -> AuditEntry:
    """Adds an entry. The caller holds the record's row, so two entries never claim one place;
    the unique index is there in case somebody forgets."""
    fact = Fact(record_id, now, str(actor), action, what, via, origin, uid)
    session.flush()  # A change of the record that was not sent yet does not hold its row yet.
    entry = AuditEntry(**placed(fact, _end_of(session, record_id)))
    session.add(entry)
    session.flush()
    return entry


def note_all(session: Session, facts: Sequence[Fact]) -> None:
    """Adds many entries at once, in their order. The caller holds the rows of all their records."""
    if not facts:
        return
    ends = _ends_of(session, {fact.record_id for fact in facts})
    rows = []
    for fact in facts:
        row = placed(fact, ends[fact.record_id])
        ends[fact.record_id] = Link(row["seq"], row["hash"])
        rows.append(row)
    session.connection().execute(ADD, rows)


def placed(fact: Fact, last: Link) -> dict[str, Any]:
    """The row of an entry: the fact, its place after `last`, and its seal."""
    seq = last.seq + 1
    return fact._asdict() | {"seq": seq, "previous": last.hash, "hash": seal(fact, seq, last.hash)}


def seal(fact: Fact, seq: int, previous: bytes) -> bytes:
    """Changes with whatever is said, with its place, and with everything said before it."""
    record_id, at, actor, action, what, via, origin, uid = fact
    content = [record_id, seq, at.astimezone(UTC).isoformat(), actor, via, origin, action, what, uid]
    return hashlib.sha256(previous + _canonical(content).encode()).digest()


def _end_of(session: Session, record_id: int) -> Link:
    last = session.execute(
        select(_entries.c.seq, _entries.c.hash)
        .where(_entries.c.record_id == record_id)
        .order_by(_entries.c.seq.desc())
        .limit(1)
    ).one_or_none()
    return START if last is None else Link(*last)


def _ends_of(session: Session, records: set[int]) -> dict[int, Link]:
    found = session.execute(ENDS, {"records": list(records)}).all()
    ends = {record: START if seq is None else Link(seq, hash_) for record, seq, hash_ in found}
    for record in records - ends.keys():
        ends[record] = _end_of(session, record)
    return ends
