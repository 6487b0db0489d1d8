"""Checks the anchors themselves: their signatures and their order, and the copies that are kept apart."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select

from ficha.audit.anchor_files import UnreadableCopy, anchor_with, copies_in, newest_number
from ficha.audit.anchors import AT_LEAST_EVERY, Anchor, AnchorKey, SignedAnchor, ends_root
from ficha.audit.chain import AuditEntry
from ficha.audit.faults import AnchorFault, BrokenAnchor
from ficha.core.transaction import Transaction

# An entry that waits longer than this for its anchor was to be hidden, or nothing runs the job.
LONGEST_WAIT = AT_LEAST_EVERY + timedelta(hours=1)


def verify_anchors(tx: Transaction, key: AnchorKey, now: datetime) -> list[BrokenAnchor]:
    return [*_broken_chain(tx, key), *_late(tx, now)]


def verify_copies(tx: Transaction, key: AnchorKey, place: Path) -> list[BrokenAnchor]:
    """Holds the database against copies: a folder of ours, or a file with what was published."""
    return list(_broken_copies(tx, key, place)) if place.exists() else []


def _broken_chain(tx: Transaction, key: AnchorKey) -> Iterator[BrokenAnchor]:
    number, digest = 0, bytes(32)
    for found in tx.orm.scalars(select(Anchor.number).order_by(Anchor.number)).all():
        stored = tx.orm.get_one(Anchor, found)
        tx.orm.expunge(stored)  # Its ends need not stay in memory.
        anchor = SignedAnchor(stored.number, stored.at, stored.previous, stored.root, stored.signature)
        if not key.has_signed(anchor):
            yield BrokenAnchor(found, AnchorFault.FORGED)
        elif ends_root(stored.through_id, stored.ends) != stored.root:
            yield BrokenAnchor(found, AnchorFault.ENDS_ALTERED)
        if (anchor.number, anchor.previous) != (number + 1, digest):
            yield BrokenAnchor(found, AnchorFault.MISSING)
        number, digest = anchor.number, anchor.digest


def _late(tx: Transaction, now: datetime) -> Iterator[BrokenAnchor]:
    number = newest_number(tx)
    through_id = tx.orm.scalar(select(Anchor.through_id).where(Anchor.number == number)) or 0
    oldest = tx.orm.scalar(select(AuditEntry.at).where(AuditEntry.id > through_id).order_by(AuditEntry.id).limit(1))
    if oldest is not None and oldest < now - LONGEST_WAIT:
        yield BrokenAnchor(number, AnchorFault.NONE_LATELY)


def _broken_copies(tx: Transaction, key: AnchorKey, place: Path) -> Iterator[BrokenAnchor]:
    newest = newest_number(tx)
    try:
        for copy in copies_in(place):
            stored = anchor_with(tx, copy.number)
            if not key.has_signed(copy):
                yield BrokenAnchor(copy.number, AnchorFault.COPY_FORGED)
            elif copy.number > newest:
                yield BrokenAnchor(copy.number, AnchorFault.OLDER_DATABASE)
            elif stored is not None and stored.statement != copy.statement:
                yield BrokenAnchor(copy.number, AnchorFault.OTHER_DATABASE)
    except UnreadableCopy as error:
        number = Path(str(error)).stem
        yield BrokenAnchor(int(number) if number.isdigit() else 0, AnchorFault.COPY_FORGED)
