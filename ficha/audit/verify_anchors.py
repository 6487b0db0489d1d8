"""Checks the anchors themselves: their signatures and their order, and the copies that are kept apart."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.audit.anchor_files import UnreadableCopy, anchor_with, copies_in, newest_number
from ficha.audit.anchors import AT_LEAST_EVERY, Anchor, AnchorKey, SignedAnchor, ends_root
from ficha.audit.faults import AnchorFault, BrokenAnchor
from ficha.audit.log import AuditEntry

# An entry that waits longer than this for its anchor was to be hidden, or nothing runs the job.
LONGEST_WAIT = AT_LEAST_EVERY + timedelta(hours=1)


def verify_anchors(session: Session, key: AnchorKey, now: datetime) -> list[BrokenAnchor]:
    return [*_broken_chain(session, key), *_late(session, now)]


def verify_copies(session: Session, key: AnchorKey, place: Path) -> list[BrokenAnchor]:
    """Holds the database against copies: a folder of ours, or a file with what was published."""
    return list(_broken_copies(session, key, place)) if place.exists() else []


def _broken_chain(session: Session, key: AnchorKey) -> Iterator[BrokenAnchor]:
    number, digest = 0, bytes(32)
    for found in session.scalars(select(Anchor.number).order_by(Anchor.number)).all():
        stored = session.get_one(Anchor, found)
        session.expunge(stored)  # Its ends need not stay in memory.
        anchor = SignedAnchor(stored.number, stored.at, stored.previous, stored.root, stored.signature)
        if not key.has_signed(anchor):
            yield BrokenAnchor(found, AnchorFault.FORGED)
        elif ends_root(stored.through_id, stored.ends) != stored.root:
            yield BrokenAnchor(found, AnchorFault.ENDS_ALTERED)
        if (anchor.number, anchor.previous) != (number + 1, digest):
            yield BrokenAnchor(found, AnchorFault.MISSING)
        number, digest = anchor.number, anchor.digest


def _late(session: Session, now: datetime) -> Iterator[BrokenAnchor]:
    number = newest_number(session)
    through_id = session.scalar(select(Anchor.through_id).where(Anchor.number == number)) or 0
    oldest = session.scalar(select(AuditEntry.at).where(AuditEntry.id > through_id).order_by(AuditEntry.id).limit(1))
    if oldest is not None and oldest < now - LONGEST_WAIT:
        yield BrokenAnchor(number, AnchorFault.NONE_LATELY)


def _broken_copies(session: Session, key: AnchorKey, place: Path) -> Iterator[BrokenAnchor]:
    newest = newest_number(session)
    try:
        for copy in copies_in(place):
            stored = anchor_with(session, copy.number)
            if not key.has_signed(copy):
                yield BrokenAnchor(copy.number, AnchorFault.COPY_FORGED)
            elif copy.number > newest:
                yield BrokenAnchor(copy.number, AnchorFault.OLDER_DATABASE)
            elif stored is not None and stored.statement != copy.statement:
                yield BrokenAnchor(copy.number, AnchorFault.OTHER_DATABASE)
    except UnreadableCopy as error:
        number = Path(str(error)).stem
        yield BrokenAnchor(int(number) if number.isdigit() else 0, AnchorFault.COPY_FORGED)
