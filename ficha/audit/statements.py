"""The prepared statements of the log: adding entries, where chains end, which records are locked, and when strangers
last opened records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import Text, bindparam, func, insert, or_, select

from ficha.audit.chain import (
    CHAIN_END_COLUMNS,
    CHAIN_START,
    RECORDS,
    WITH_CHAIN_END,
    AuditEntry,
    ChainEnd,
    ChainLink,
    LoggedFact,
)
from ficha.core.db import Base
from ficha.core.list_parameters import insert_rows, one_of, rows_value
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction

_entries = Base.metadata.tables[AuditEntry.__tablename__]
_COLUMNS = (*LoggedFact._fields, *ChainLink._fields)
_INSERT_ENTRY = Prepared(insert(_entries), columns=_COLUMNS)
# SQLite's driver hands Python's lock over for every row, and takes it back from a busy event loop: together that costs
# more than the row. So there many rows are one statement, and its values are given as they are stored.
ROWS_AT_ONCE = 50
SQLITE_TIME_LENGTH = len("2026-11-16 12:00:00.000000")
_INSERT_MANY = Prepared(
    insert(_entries).values(
        [{name: bindparam(f"{name}_{row}", type_=Text()) for name in _COLUMNS} for row in range(ROWS_AT_ONCE)]
    ),
    only="sqlite",
)
_NAMES_OF_MANY = [f"{name}_{row}" for row in range(ROWS_AT_ONCE) for name in _COLUMNS]
_INSERT_ROWS = insert_rows(_entries, _COLUMNS)
_LAST_ENTRY = Prepared(
    select(_entries.c.seq, _entries.c.hash)
    .where(_entries.c.record_id == bindparam("record_id"))
    .order_by(_entries.c.seq.desc())
    .limit(1)
)
_ENDS = select(RECORDS.c.id, *CHAIN_END_COLUMNS).select_from(WITH_CHAIN_END).where(one_of(RECORDS.c.id, "records"))
_seq, _hash = CHAIN_END_COLUMNS
_CHAIN_ENDS = Prepared(_ENDS)
# All of them in one row, for the same reason.
_CHAIN_ENDS_IN_ONE = Prepared(
    _ENDS.with_only_columns(func.json_group_array(func.json_array(RECORDS.c.id, _seq, func.hex(_hash))).label("ends")),
    only="sqlite",
)
_ids = RECORDS.c.id
_EXISTING = Prepared(select(_ids).where(one_of(_ids, "records")).order_by(_ids))
_FREE = Prepared(
    select(_ids).where(one_of(_ids, "records")).order_by(_ids).with_for_update(key_share=True, skip_locked=True),
    only="postgresql",
)
# Who scanned a sticker, with broken glass too.
SCANNED, BROKEN_GLASS = "tag", "glass"
REHEARSED = "emergency.rehearsed"
_is_rehearsed = _entries.c.action == REHEARSED
_by_stranger = or_(_entries.c.actor == SCANNED, _entries.c.actor.startswith(BROKEN_GLASS))
_OPENINGS = Prepared(
    select(_entries.c.record_id, _is_rehearsed.label("is_rehearsed"), func.max(_entries.c.at).label("at"))
    .where(one_of(_entries.c.record_id, "records"), or_(_by_stranger, _is_rehearsed))
    .group_by(_entries.c.record_id, _is_rehearsed)
)


@dataclass(frozen=True)
class Openings:
    """By record: when its sticker was last opened, and when a drill was last done."""

    last: dict[int, datetime]
    rehearsed: dict[int, datetime]


def insert_entry(tx: Transaction, fact: LoggedFact, link: ChainLink) -> None:
    tx.run(_INSERT_ENTRY, **fact._asdict(), **link._asdict())


def insert_entries(tx: Transaction, entries: Sequence[tuple[LoggedFact, ChainLink]]) -> None:
    if tx.is_sqlite:
        while len(entries) >= ROWS_AT_ONCE:
            first, entries = entries[:ROWS_AT_ONCE], entries[ROWS_AT_ONCE:]
            values = chain.from_iterable([_as_sqlite_stores(fact) + link for fact, link in first])
            tx.run(_INSERT_MANY, **dict(zip(_NAMES_OF_MANY, values, strict=True)))
    rows = [fact._asdict() | link._asdict() for fact, link in entries]
    if len(rows) > 1 and not tx.is_sqlite:
        tx.run(_INSERT_ROWS, rows=rows_value(rows))
    elif rows:
        tx.run_many(_INSERT_ENTRY, rows)


def _as_sqlite_stores(fact: LoggedFact) -> tuple[Any, ...]:
    at = fact.at.astimezone(UTC).isoformat(" ", "microseconds")[:SQLITE_TIME_LENGTH]
    return fact.record_id, at, fact.actor, fact.action, to_json(fact.what).decode(), fact.via, fact.origin, fact.uid


def chain_end(tx: Transaction, record_id: int) -> ChainEnd:
    last = tx.first(_LAST_ENTRY, record_id=record_id)
    return CHAIN_START if last is None else ChainEnd(*last)


def chain_ends(tx: Transaction, records: set[int]) -> dict[int, ChainEnd]:
    found: Iterable[tuple[int, int | None, bytes]]
    if tx.is_sqlite:
        listed = from_json(tx.first(_CHAIN_ENDS_IN_ONE, records=records).ends)
        found = ((record, seq, bytes.fromhex(hash_)) for record, seq, hash_ in listed)
    else:
        found = tx.all(_CHAIN_ENDS, records=records)
    ends = {record: CHAIN_START if seq is None else ChainEnd(seq, hash_) for record, seq, hash_ in found}
    for record in records - ends.keys():
        ends[record] = chain_end(tx, record)
    return ends


def records_locked_by_others(tx: Transaction, records: set[int]) -> set[int]:
    """Locks the rows of these records without waiting, and returns those that another transaction has locked.

    Waiting could end in a deadlock with a request that changes several records. An erased record still has a row;
    where there is none, the unique index keeps two entries from one place. SQLite has locked everything already.
    """
    if tx.is_sqlite:
        return set()
    others = records.difference(row.id for row in tx.all(_FREE, records=records))
    return {row.id for row in tx.all(_EXISTING, records=others)} if others else set()


def openings_of(tx: Transaction, record_ids: Sequence[int]) -> Openings:
    rows = tx.all(_OPENINGS, records=record_ids)
    return Openings(
        {row.record_id: row.at for row in rows if not row.is_rehearsed},
        {row.record_id: row.at for row in rows if row.is_rehearsed},
    )
