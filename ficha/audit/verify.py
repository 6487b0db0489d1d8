"""Looking the log over: entries altered, removed, replaced or moved by hand are found and named."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, func, select, tuple_
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session

from ficha.audit.log import START, AuditEntry, Fact, seal

PAGE = 2000
# How far away the true place of a moved entry is looked for. One from further away is called altered, as it is.
REACH = 100


class Fault(StrEnum):
    ALTERED = "altered"
    MISSING = "missing before it"
    REPLACED = "the one before it was replaced"
    REORDERED = "reordered"


@dataclass(frozen=True)
class Broken:
    record_id: int
    seq: int
    fault: Fault


class _Seen(NamedTuple):
    """An entry as it stands in the table. Without a fact when what was put there by hand cannot even be read."""

    record_id: int
    seq: int
    previous: bytes
    hash: bytes
    fact: Fact | None


PLACE = (AuditEntry.record_id, AuditEntry.seq, AuditEntry.previous, AuditEntry.hash)
SAID = tuple(getattr(AuditEntry, name) for name in Fact._fields)
ALL = select(*PLACE, *SAID[1:])


def verify_all(session: Session, progress: Callable[[int], None]) -> list[Broken]:
    """Every record's chain, a page at a time; `progress` is told how many entries were looked at."""
    return list(_broken(_pages(session, ALL), progress))


def verify_record(session: Session, record_id: int) -> list[Broken]:
    return list(_broken(_pages(session, ALL.where(AuditEntry.record_id == record_id)), lambda _: None))


def count_entries(session: Session) -> int:
    return session.execute(select(func.count()).select_from(AuditEntry)).scalar_one()


def entries_of(session: Session, record_id: int, *, before_seq: int | None = None, limit: int) -> list[AuditEntry]:
    """A page of a record's log, newest first."""
    query = select(AuditEntry).where(AuditEntry.record_id == record_id)
    if before_seq is not None:
        query = query.where(AuditEntry.seq < before_seq)
    return list(session.scalars(query.order_by(AuditEntry.seq.desc()).limit(limit)))


def _broken(pages: Iterator[list[_Seen]], progress: Callable[[int], None]) -> Iterator[Broken]:
    record_id: int | None = None
    for page in pages:
        for entry in page:
            if entry.record_id != record_id:
                record_id, seq, end = entry.record_id, START.seq, START.hash
                is_sound = True
            fault = _fault(entry, seq, end if is_sound else None)
            if fault is not None:
                yield Broken(record_id, entry.seq, fault)
            seq, end, is_sound = entry.seq, entry.hash, fault in (None, Fault.MISSING)
        progress(len(page))


def _fault(entry: _Seen, seq: int, end: bytes | None) -> Fault | None:
    """`seq` and `end` are those of the entry before; no end when that one was wrong, which is told already."""
    if not _fits(entry, entry.seq):
        near = range(max(1, entry.seq - REACH), entry.seq + REACH + 1)
        return Fault.REORDERED if any(_fits(entry, place) for place in near) else Fault.ALTERED
    if entry.seq != seq + 1:
        return Fault.MISSING
    if end is not None and entry.previous != end:
        return Fault.REPLACED
    return None


def _fits(entry: _Seen, seq: int) -> bool:
    with suppress(TypeError, ValueError):  # SQLite keeps a text where bytes belong, if a hand puts it there.
        return entry.fact is not None and seal(entry.fact, seq, entry.previous) == entry.hash
    return False


def _pages(session: Session, query: Select[*tuple[Any, ...]]) -> Iterator[list[_Seen]]:
    place = tuple_(AuditEntry.record_id, AuditEntry.seq)
    query = query.order_by(AuditEntry.record_id, AuditEntry.seq).limit(PAGE)
    page = _page(session, query)
    while page:
        yield page
        page = _page(session, query.where(place > (page[-1].record_id, page[-1].seq)))


def _page(session: Session, query: Select[*tuple[Any, ...]]) -> list[_Seen]:
    try:
        return [_seen(row) for row in session.execute(query)]
    except (ValueError, DataError):  # A time that is none, a list that is not JSON: find out which.
        places = session.execute(query.with_only_columns(*PLACE)).all()
        return [_one(session, row) for row in places]


def _one(session: Session, place: Row[*tuple[Any, ...]]) -> _Seen:
    try:
        return _seen(
            session.execute(ALL.where(AuditEntry.record_id == place.record_id, AuditEntry.seq == place.seq)).one()
        )
    except (ValueError, DataError):
        record_id, seq, previous, hash_ = place
        return _Seen(record_id, seq, previous, hash_, None)


def _seen(row: Row[*tuple[Any, ...]]) -> _Seen:
    record_id, seq, previous, hash_, *said = row
    return _Seen(record_id, seq, previous, hash_, Fact(record_id, *said))
