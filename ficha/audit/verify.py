"""Checks the log: finds entries that were altered, removed, replaced or moved in the database by hand."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, func, select, tuple_
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session

from ficha.audit.log import CHAIN_START, AuditEntry, Fact, entry_hash

PAGE = 2000
# How many places away the true place of a moved entry is looked for. One from further away is called altered.
SEARCH_DISTANCE = 100


class Fault(StrEnum):
    ALTERED = "altered"
    MISSING = "missing before it"
    REPLACED = "the one before it was replaced"
    REORDERED = "reordered"


@dataclass(frozen=True)
class BrokenEntry:
    record_id: int
    seq: int
    fault: Fault


class _StoredEntry(NamedTuple):
    """An entry as it is in the table. Without a fact when what was put there by hand cannot even be read."""

    record_id: int
    seq: int
    previous: bytes
    hash: bytes
    fact: Fact | None


CHAIN_COLUMNS = (AuditEntry.record_id, AuditEntry.seq, AuditEntry.previous, AuditEntry.hash)
FACT_COLUMNS = tuple(getattr(AuditEntry, name) for name in Fact._fields)
ENTRIES = select(*CHAIN_COLUMNS, *FACT_COLUMNS[1:])


def verify_all(session: Session, progress: Callable[[int], None]) -> list[BrokenEntry]:
    """Checks every record's chain, a page at a time; `progress` is called with the number of entries of each page."""
    return list(_broken(_pages(session, ENTRIES), progress))


def verify_record(session: Session, record_id: int) -> list[BrokenEntry]:
    return list(_broken(_pages(session, ENTRIES.where(AuditEntry.record_id == record_id)), lambda _: None))


def count_entries(session: Session) -> int:
    return session.execute(select(func.count()).select_from(AuditEntry)).scalar_one()


def _broken(pages: Iterator[list[_StoredEntry]], progress: Callable[[int], None]) -> Iterator[BrokenEntry]:
    record_id: int | None = None
    for page in pages:
        for entry in page:
            if entry.record_id != record_id:
                record_id, (seq, hash_) = entry.record_id, CHAIN_START
                is_sound = True
            fault = _fault(entry, seq, hash_ if is_sound else None)
            if fault is not None:
                yield BrokenEntry(record_id, entry.seq, fault)
            seq, hash_, is_sound = entry.seq, entry.hash, fault in (None, Fault.MISSING)
        progress(len(page))


def _fault(entry: _StoredEntry, seq: int, previous: bytes | None) -> Fault | None:
    """`seq` and `previous` are the place and hash of the entry before; no hash when that one is broken itself."""
    if not _hash_matches(entry, entry.seq):
        near = range(max(1, entry.seq - SEARCH_DISTANCE), entry.seq + SEARCH_DISTANCE + 1)
        return Fault.REORDERED if any(_hash_matches(entry, place) for place in near) else Fault.ALTERED
    if entry.seq != seq + 1:
        return Fault.MISSING
    if previous is not None and entry.previous != previous:
        return Fault.REPLACED
    return None


def _hash_matches(entry: _StoredEntry, seq: int) -> bool:
    with suppress(TypeError, ValueError):  # SQLite stores a text in a column of bytes if somebody writes one.
        return entry.fact is not None and entry_hash(entry.fact, seq, entry.previous) == entry.hash
    return False


def _pages(session: Session, query: Select[*tuple[Any, ...]]) -> Iterator[list[_StoredEntry]]:
    place = tuple_(AuditEntry.record_id, AuditEntry.seq)
    query = query.order_by(AuditEntry.record_id, AuditEntry.seq).limit(PAGE)
    page = _page(session, query)
    while page:
        yield page
        page = _page(session, query.where(place > (page[-1].record_id, page[-1].seq)))


def _page(session: Session, query: Select[*tuple[Any, ...]]) -> list[_StoredEntry]:
    try:
        return [_stored(row) for row in session.execute(query)]
    except (ValueError, DataError):  # An invalid time, a list that is not JSON: find out which entry it is.
        places = session.execute(query.with_only_columns(*CHAIN_COLUMNS)).all()
        return [_read_one(session, row) for row in places]


def _read_one(session: Session, place: Row[*tuple[Any, ...]]) -> _StoredEntry:
    try:
        return _stored(
            session.execute(ENTRIES.where(AuditEntry.record_id == place.record_id, AuditEntry.seq == place.seq)).one()
        )
    except (ValueError, DataError):
        record_id, seq, previous, hash_ = place
        return _StoredEntry(record_id, seq, previous, hash_, None)


def _stored(row: Row[*tuple[Any, ...]]) -> _StoredEntry:
    record_id, seq, previous, hash_, *fact = row
    return _StoredEntry(record_id, seq, previous, hash_, Fact(record_id, *fact))
