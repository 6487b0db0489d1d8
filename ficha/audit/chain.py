"""The entries of a record's log, and the keyed hashes that make a chain of them."""

import hashlib
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic_core import to_json
from sqlalchemy import Index, LargeBinary, String, column, func, select, table
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Json, Utc, partial_index


class AuditEntry(Base):
    """Names and ids, never content. No foreign keys: the log outlives what it speaks of."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ux_audit_entries_record_seq", "record_id", "seq", unique=True),
        # Of scanned stickers, by day.
        partial_index("ix_audit_entries_scans", "at", where="action = 'record.read' AND via = 'tag'"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(BigId)
    seq: Mapped[int]
    at: Mapped[datetime] = mapped_column(Utc)
    # Set for entries that came through the read log's files: it keeps a crash from writing one twice.
    uid: Mapped[str | None] = mapped_column(String(32), unique=True)
    actor: Mapped[str] = mapped_column(String(60))
    via: Mapped[str] = mapped_column(String(20), server_default="")
    origin: Mapped[str] = mapped_column(String(60), server_default="")
    action: Mapped[str] = mapped_column(String(40))
    what: Mapped[list[str]] = mapped_column(Json)
    previous: Mapped[bytes] = mapped_column(LargeBinary(32))
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))


class LoggedFact(NamedTuple):
    """What an entry says, without its place in the chain."""

    record_id: int
    at: datetime
    actor: str
    action: str
    what: Sequence[str]
    via: str
    origin: str
    uid: str | None


class ChainLink(NamedTuple):
    """Where an entry stands in the chain."""

    seq: int
    previous: bytes
    hash: bytes


class ChainEnd(NamedTuple):
    """The last entry of a record's chain, which the hash of the next one includes."""

    seq: int
    hash: bytes


CHAIN_START = ChainEnd(0, bytes(32))

_entries = Base.metadata.tables[AuditEntry.__tablename__]
# The table belongs to a package above; only its ids and its row locks are needed here.
RECORDS = table("records", column("id", BigId))
# Two index lookups for each record, however long its log: GROUP BY would read all of it.
_newest = _entries.alias("newest")
_last_seq = select(func.max(_entries.c.seq)).where(_entries.c.record_id == RECORDS.c.id).scalar_subquery()
# For whoever reads something else of records as well: their logs' ends, joined to them.
CHAIN_END_COLUMNS = (_newest.c.seq, _newest.c.hash)
WITH_CHAIN_END = RECORDS.outerjoin(_newest, (_newest.c.record_id == RECORDS.c.id) & (_newest.c.seq == _last_seq))


def link_after(fact: LoggedFact, last: ChainEnd, key: bytes) -> ChainLink:
    seq, previous = last
    return ChainLink(seq + 1, previous, entry_hash(fact, seq + 1, previous, key))


def entry_hash(fact: LoggedFact, seq: int, previous: bytes, key: bytes) -> bytes:
    """An HMAC over what the entry says, its place, and the hash of the entry before it."""
    return hmac.digest(key, _content(fact, seq, previous), "sha256")


def bare_hash(fact: LoggedFact, seq: int, previous: bytes) -> bytes:
    """As entries were hashed before there was a key (decision 18). Anybody can make one."""
    return hashlib.sha256(_content(fact, seq, previous)).digest()


def _content(fact: LoggedFact, seq: int, previous: bytes) -> bytes:
    record_id, at, actor, action, what, via, origin, uid = fact
    # Compact JSON, without escapes: it must give the same bytes for ever, or no hash would match any more.
    return previous + to_json((record_id, seq, at.astimezone(UTC).isoformat(), actor, via, origin, action, what, uid))


def chain_end_of(seq: int | None, digest: bytes | None) -> ChainEnd:
    """Of the values of CHAIN_END_COLUMNS."""
    return CHAIN_START if seq is None or digest is None else ChainEnd(seq, digest)
