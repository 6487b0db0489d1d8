"""Checks the log: finds entries that were altered, removed, replaced or moved in the database by hand."""

import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, func, select, tuple_
from sqlalchemy.exc import DataError

from ficha.audit.anchors import Anchor, AnchoredEnd, unpack_ends
from ficha.audit.chain import CHAIN_START, AuditEntry, LoggedFact, bare_hash, entry_hash
from ficha.audit.log import log_key
from ficha.core.transaction import Transaction


class Fault(StrEnum):
    ALTERED = "altered"
    MISSING = "missing before it"
    REPLACED = "the one before it was replaced"
    REORDERED = "reordered"
    INSERTED = "inserted"
    MOVED = "taken from another record"
    REHASHED = "hashed again without the key"
    CUT = "cut off: an anchor knows this entry"
    NOT_ANCHORED = "replaced: an anchor knows another entry here"


@dataclass(frozen=True)
class BrokenEntry:
    record_id: int
    seq: int
    fault: Fault


ENDS_AT_ONCE = 500
# After an upgrade the version before, which hashed without a key, may go on writing for this long.
UPGRADE = timedelta(hours=2)


def broken_ends(tx: Transaction, record_id: int | None = None) -> Iterator[BrokenEntry]:
    """Entries that were anchored and are gone, the last of each record, or are others now."""
    cut: dict[int, int] = {}
    for anchor in tx.orm.scalars(select(Anchor.number).order_by(Anchor.number)).all():
        ends = (end for end in _ends_of(tx, anchor) if record_id in (None, end.record_id))
        while page := list(islice(ends, ENDS_AT_ONCE)):
            numbers = tuple_(AuditEntry.record_id, AuditEntry.seq).in_([(end.record_id, end.seq) for end in page])
            found = tx.orm.execute(select(AuditEntry.record_id, AuditEntry.seq, AuditEntry.hash).where(numbers))
            hashes = {(record, seq): hash_ for record, seq, hash_ in found}
            for end in page:
                stored = hashes.get((end.record_id, end.seq))
                if stored is None:
                    cut[end.record_id] = max(end.seq, cut.get(end.record_id, 0))
                elif stored != end.hash:
                    yield BrokenEntry(end.record_id, end.seq, Fault.NOT_ANCHORED)
    for record, seq in cut.items():
        last = tx.orm.scalar(select(func.max(AuditEntry.seq)).where(AuditEntry.record_id == record)) or 0
        if last < seq:  # Otherwise it is missing in the middle, which the chain shows.
            yield BrokenEntry(record, seq, Fault.CUT)


def last_unkeyed_entries(tx: Transaction) -> dict[int, int]:
    """By record, up to which number entries may be hashed without a key: those that the first anchor found."""
    first = tx.orm.execute(select(Anchor.at, Anchor.ends).order_by(Anchor.number).limit(1)).one_or_none()
    if first is None or not first.ends:
        return {}
    numbers = select(Anchor.number).where(Anchor.at <= first.at + UPGRADE).order_by(Anchor.number)
    return {end.record_id: end.seq for number in tx.orm.scalars(numbers).all() for end in _ends_of(tx, number)}


def _ends_of(tx: Transaction, number: int) -> Iterator[AnchoredEnd]:
    packed = tx.orm.scalar(select(Anchor.ends).where(Anchor.number == number)) or b""
    try:
        yield from unpack_ends(packed)
    except struct.error:  # Cut by hand: the anchor itself is found to be altered.
        return


PAGE = 2000
# How many numbers away the true number of a moved entry is looked for. One from further away is called altered.
SEARCH_DISTANCE = 100
# Of how many records it is tried whether an entry was taken from them.
SEARCH_RECORDS = 50


class _StoredEntry(NamedTuple):
    """An entry as it is in the table. Without a fact when what was put there by hand cannot even be read."""

    record_id: int
    seq: int
    previous: bytes
    hash: bytes
    fact: LoggedFact | None


CHAIN_COLUMNS = (AuditEntry.record_id, AuditEntry.seq, AuditEntry.previous, AuditEntry.hash)
FACT_COLUMNS = tuple(getattr(AuditEntry, name) for name in LoggedFact._fields)
ENTRIES = select(*CHAIN_COLUMNS, *FACT_COLUMNS[1:])


def verify_all(tx: Transaction, progress: Callable[[int], None]) -> list[BrokenEntry]:
    """Checks every record's chain, a page at a time; `progress` is called with the number of entries of each page."""
    chains = _Chains(tx)
    broken = chains.broken(_pages(tx, ENTRIES), progress)
    return _with_ends(broken, broken_ends(tx))


def verify_record(tx: Transaction, record_id: int) -> list[BrokenEntry]:
    pages = _pages(tx, ENTRIES.where(AuditEntry.record_id == record_id))
    return _with_ends(_Chains(tx).broken(pages, lambda _: None), broken_ends(tx, record_id))


def count_entries(tx: Transaction) -> int:
    return tx.orm.execute(select(func.count()).select_from(AuditEntry)).scalar_one()


def _with_ends(broken: list[BrokenEntry], ends: Iterable[BrokenEntry]) -> list[BrokenEntry]:
    """An entry that is broken by itself is told once."""
    known = {(entry.record_id, entry.seq) for entry in broken}
    return broken + [end for end in ends if (end.record_id, end.seq) not in known]


class _Chains:
    def __init__(self, tx: Transaction) -> None:
        # Asked for when the first entry is read: an empty log needs no key.
        self._key = cache(lambda: log_key(tx))
        self._last_unkeyed_entries = cache(lambda: last_unkeyed_entries(tx))

    def broken(self, pages: Iterator[list[_StoredEntry]], progress: Callable[[int], None]) -> list[BrokenEntry]:
        found: list[tuple[BrokenEntry, _StoredEntry]] = []
        record_id: int | None = None
        for page in pages:
            for entry in page:
                if entry.record_id != record_id:
                    record_id, (seq, hash_) = entry.record_id, CHAIN_START
                    is_sound, skipped = True, None
                fault = self._fault(entry, seq, hash_ if is_sound else None)
                if skipped is not None and entry.previous == skipped:
                    # This one follows the entry before the broken one: that was put between them.
                    found[-1] = (replace(found[-1][0], fault=Fault.INSERTED), found[-1][1])
                skipped = hash_ if fault in (Fault.ALTERED, Fault.REHASHED) and is_sound else None
                if fault is not None:
                    found.append((BrokenEntry(record_id, entry.seq, fault), entry))
                seq, hash_, is_sound = entry.seq, entry.hash, fault in (None, Fault.MISSING)
            progress(len(page))
        return self._with_moved(found)

    def _fault(self, entry: _StoredEntry, seq: int, previous: bytes | None) -> Fault | None:
        """`seq` and `previous` are the number and hash of the entry before; no hash when that one is broken itself."""
        if not self._hash_matches(entry, entry.seq):
            if self._is_bare(entry):
                return Fault.REHASHED
            near = range(max(1, entry.seq - SEARCH_DISTANCE), entry.seq + SEARCH_DISTANCE + 1)
            return Fault.REORDERED if any(self._hash_matches(entry, number) for number in near) else Fault.ALTERED
        if entry.seq != seq + 1:
            return Fault.MISSING
        if previous is not None and entry.previous != previous:
            return Fault.REPLACED
        return None

    def _hash_matches(self, entry: _StoredEntry, seq: int) -> bool:
        with suppress(TypeError, ValueError):  # SQLite stores a text in a column of bytes if somebody writes one.
            if entry.fact is None:
                return False
            if entry_hash(entry.fact, seq, entry.previous, self._key()) == entry.hash:
                return True
            is_older = entry.seq <= self._last_unkeyed_entries().get(entry.record_id, 0)
            return is_older and bare_hash(entry.fact, seq, entry.previous) == entry.hash
        return False

    def _is_bare(self, entry: _StoredEntry) -> bool:
        with suppress(TypeError, ValueError):
            return entry.fact is not None and bare_hash(entry.fact, entry.seq, entry.previous) == entry.hash
        return False

    def _with_moved(self, found: list[tuple[BrokenEntry, _StoredEntry]]) -> list[BrokenEntry]:
        """An altered entry whose hash fits under the number of another damaged record was taken from there."""
        altered = [broken.record_id for broken, _ in found if broken.fault is Fault.ALTERED]
        others = list(dict.fromkeys(altered))[:SEARCH_RECORDS]
        return [
            replace(broken, fault=Fault.MOVED)
            if broken.fault is Fault.ALTERED and self._is_of_any(entry, others)
            else broken
            for broken, entry in found
        ]

    def _is_of_any(self, entry: _StoredEntry, records: list[int]) -> bool:
        if entry.fact is None:
            return False
        moved = (entry._replace(fact=entry.fact._replace(record_id=other)) for other in records)
        return any(self._hash_matches(one, entry.seq) for one in moved)


def _pages(tx: Transaction, query: Select[*tuple[Any, ...]]) -> Iterator[list[_StoredEntry]]:
    key = tuple_(AuditEntry.record_id, AuditEntry.seq)
    query = query.order_by(AuditEntry.record_id, AuditEntry.seq).limit(PAGE)
    page = _page(tx, query)
    while page:
        yield page
        page = _page(tx, query.where(key > (page[-1].record_id, page[-1].seq)))


def _page(tx: Transaction, query: Select[*tuple[Any, ...]]) -> list[_StoredEntry]:
    try:
        return [_stored(row) for row in tx.orm.execute(query)]
    except (ValueError, DataError):  # An invalid time, a list that is not JSON: find out which entry it is.
        keys = tx.orm.execute(query.with_only_columns(*CHAIN_COLUMNS)).all()
        return [_read_one(tx, row) for row in keys]


def _read_one(tx: Transaction, key: Row[*tuple[Any, ...]]) -> _StoredEntry:
    try:
        return _stored(
            tx.orm.execute(ENTRIES.where(AuditEntry.record_id == key.record_id, AuditEntry.seq == key.seq)).one()
        )
    except (ValueError, DataError):
        record_id, seq, previous, hash_ = key
        return _StoredEntry(record_id, seq, previous, hash_, None)


def _stored(row: Row[*tuple[Any, ...]]) -> _StoredEntry:
    record_id, seq, previous, hash_, *fact = row
    return _StoredEntry(record_id, seq, previous, hash_, LoggedFact(record_id, *fact))
