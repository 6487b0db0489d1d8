"""Compares the log with what its anchors say: the ends of the chains that were there when each was signed."""

import struct
from collections.abc import Iterator
from datetime import timedelta
from itertools import islice

from sqlalchemy import func, select, tuple_

from ficha.audit.anchors import Anchor, AnchoredEnd, unpack_ends
from ficha.audit.chain import AuditEntry
from ficha.audit.faults import BrokenEntry, Fault
from ficha.core.transaction import Transaction

PAGE = 500
# After an upgrade the version before, which hashed without a key, may go on writing for this long.
UPGRADE = timedelta(hours=2)


def broken_ends(tx: Transaction, record_id: int | None = None) -> Iterator[BrokenEntry]:
    """Entries that were anchored and are gone, the last of each record, or are others now."""
    cut: dict[int, int] = {}
    for anchor in tx.orm.scalars(select(Anchor.number).order_by(Anchor.number)).all():
        ends = (end for end in _ends_of(tx, anchor) if record_id in (None, end.record_id))
        while page := list(islice(ends, PAGE)):
            places = tuple_(AuditEntry.record_id, AuditEntry.seq).in_([(end.record_id, end.seq) for end in page])
            found = tx.orm.execute(select(AuditEntry.record_id, AuditEntry.seq, AuditEntry.hash).where(places))
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


def last_bare_places(tx: Transaction) -> dict[int, int]:
    """By record, up to which place entries may be hashed without a key: those that the first anchor found."""
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
