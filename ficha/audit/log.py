"""The log of a record: an append-only list of entries, each with a keyed hash over itself and the hash before it."""

import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json
from sqlalchemy import ColumnElement, Index, LargeBinary, String, Text, bindparam, column, func, insert, select, table
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Database, Json, Utc
from ficha.core.given_lists import one_of
from ficha.core.given_rows import insert_given, rows_value
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction


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
    # Set for entries that came through the read log's files: it keeps a crash from writing one twice.
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


class Place(NamedTuple):
    """Where an entry stands in the chain."""

    seq: int
    previous: bytes
    hash: bytes


class ChainEnd(NamedTuple):
    """The last entry of a record's chain, which the hash of the next one includes."""

    seq: int
    hash: bytes


CHAIN_START = ChainEnd(0, bytes(32))
# Where a transaction has the key of the hashes. The database does not hold it: who only has that cannot make an entry.
LOG_KEY = "ficha_log_key"

# On the bare table: the ORM's own way takes several times as long.
_entries = Base.metadata.tables[AuditEntry.__tablename__]
_COLUMNS = (*LoggedFact._fields, *Place._fields)
_INSERT_ENTRY = Prepared(insert(_entries), columns=_COLUMNS)
# SQLite's driver hands Python's lock over for every row, and takes it back from a busy event loop: together that costs
# more than the row. So there many rows are one statement, and its values are given as they are stored.
ROWS_AT_ONCE = 50
SQLITE_TIME_LENGTH = len("2026-11-16 12:00:00.000000")
_INSERT_MANY = Prepared(
    insert(_entries).values(
        [{name: bindparam(f"{name}_{place}", type_=Text()) for name in _COLUMNS} for place in range(ROWS_AT_ONCE)]
    ),
    only="sqlite",
)
_NAMES_OF_MANY = [f"{name}_{place}" for place in range(ROWS_AT_ONCE) for name in _COLUMNS]
_INSERT_GIVEN = insert_given(_entries, _COLUMNS)
_LAST_ENTRY = Prepared(
    select(_entries.c.seq, _entries.c.hash)
    .where(_entries.c.record_id == bindparam("record_id"))
    .order_by(_entries.c.seq.desc())
    .limit(1)
)
# The table belongs to a package above; only its ids and its row locks are needed here.
RECORDS = table("records", column("id", BigId))
# Two index lookups for each record, however long its log: GROUP BY would read all of it.
_newest = _entries.alias("newest")
_last_seq = select(func.max(_entries.c.seq)).where(_entries.c.record_id == RECORDS.c.id).scalar_subquery()
# For whoever reads something else of records as well: their logs' ends, joined to them.
CHAIN_END_COLUMNS = (_newest.c.seq, _newest.c.hash)
WITH_CHAIN_END = RECORDS.outerjoin(_newest, (_newest.c.record_id == RECORDS.c.id) & (_newest.c.seq == _last_seq))
_ENDS = select(RECORDS.c.id, *CHAIN_END_COLUMNS).select_from(WITH_CHAIN_END).where(one_of(RECORDS.c.id, "records"))
_CHAIN_ENDS = Prepared(_ENDS)
# All of them in one row, for the same reason.
_CHAIN_ENDS_IN_ONE = Prepared(
    _ENDS.with_only_columns(
        func.json_group_array(func.json_array(RECORDS.c.id, _newest.c.seq, func.hex(_newest.c.hash))).label("ends")
    ),
    only="sqlite",
)


def use_log_key(database: Database, key: Callable[[], bytes]) -> None:
    """Every transaction of this database hashes its entries with this key."""
    database.info[LOG_KEY] = key


def log_key(tx: Transaction) -> bytes:
    key: bytes = tx.info[LOG_KEY]()
    return key


def note(
    tx: Transaction,
    record_id: int,
    actor: Actor,
    action: str,
    what: list[str],
    now: datetime,
    *,
    via: str = "",
    origin: str = "",
    uid: str | None = None,
    after: ChainEnd | None = None,
) -> None:
    """Adds an entry. The caller has locked the record's row, so two entries never take one place;
    the unique index is there in case somebody forgets. `after` is the last entry, if the caller read it since then."""
    fact = LoggedFact(record_id, now, str(actor), action, what, via, origin, uid)
    # Each statement sends the ORM's changes of the record before it, which lock its row.
    end = _chain_end(tx, record_id) if after is None else after
    tx.run(_INSERT_ENTRY, **row_after(fact, end, log_key(tx)))


def note_all(tx: Transaction, facts: Sequence[LoggedFact]) -> None:
    """Adds many entries at once, in their order. The caller has locked the rows of all their records."""
    if not facts:
        return
    ends = _chain_ends(tx, {fact.record_id for fact in facts})
    key, places = log_key(tx), []
    for fact in facts:
        place = _place_after(fact, ends[fact.record_id], key)
        ends[fact.record_id] = ChainEnd(place.seq, place.hash)
        places.append((fact, place))
    if tx.is_sqlite:
        while len(places) >= ROWS_AT_ONCE:
            first, places = places[:ROWS_AT_ONCE], places[ROWS_AT_ONCE:]
            values = chain.from_iterable([_as_sqlite_stores(fact) + place for fact, place in first])
            tx.run(_INSERT_MANY, **dict(zip(_NAMES_OF_MANY, values, strict=True)))
    rows = [fact._asdict() | place._asdict() for fact, place in places]
    if len(rows) > 1 and not tx.is_sqlite:
        tx.run(_INSERT_GIVEN, rows=rows_value(rows))
    elif rows:
        tx.run_many(_INSERT_ENTRY, rows)


def _as_sqlite_stores(fact: LoggedFact) -> tuple[Any, ...]:
    at = fact.at.astimezone(UTC).isoformat(" ", "microseconds")[:SQLITE_TIME_LENGTH]
    return fact.record_id, at, fact.actor, fact.action, to_json(fact.what).decode(), fact.via, fact.origin, fact.uid


def entries_of(
    tx: Transaction, record_id: int, *which: ColumnElement[bool], before_seq: int | None = None, limit: int
) -> list[AuditEntry]:
    """A page of a record's log, newest first: all of it, or the entries of which these conditions hold."""
    query = select(AuditEntry).where(AuditEntry.record_id == record_id, *which)
    if before_seq is not None:
        query = query.where(AuditEntry.seq < before_seq)
    return list(tx.orm.scalars(query.order_by(AuditEntry.seq.desc()).limit(limit)))


def row_after(fact: LoggedFact, last: ChainEnd, key: bytes) -> dict[str, Any]:
    """The row of an entry: the fact, and its place after `last`."""
    return fact._asdict() | _place_after(fact, last, key)._asdict()


def _place_after(fact: LoggedFact, last: ChainEnd, key: bytes) -> Place:
    seq, previous = last
    return Place(seq + 1, previous, entry_hash(fact, seq + 1, previous, key))


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


def _chain_end(tx: Transaction, record_id: int) -> ChainEnd:
    last = tx.first(_LAST_ENTRY, record_id=record_id)
    return CHAIN_START if last is None else ChainEnd(*last)


def _chain_ends(tx: Transaction, records: set[int]) -> dict[int, ChainEnd]:
    found: Iterable[tuple[int, int | None, bytes]]
    if tx.is_sqlite:
        listed = from_json(tx.first(_CHAIN_ENDS_IN_ONE, records=records).ends)
        found = ((record, seq, bytes.fromhex(hash_)) for record, seq, hash_ in listed)
    else:
        found = tx.all(_CHAIN_ENDS, records=records)
    ends = {record: CHAIN_START if seq is None else ChainEnd(seq, hash_) for record, seq, hash_ in found}
    for record in records - ends.keys():
        ends[record] = _chain_end(tx, record)
    return ends
