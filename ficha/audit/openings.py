"""When strangers last opened records, by the log: for many records in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select

from ficha.audit.chain import AuditEntry
from ficha.core.db import Base
from ficha.core.given_lists import one_of
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction

# Who scanned a sticker, with broken glass too.
SCANNED, BROKEN_GLASS = "tag", "glass"
REHEARSED = "emergency.rehearsed"


@dataclass(frozen=True)
class Openings:
    """By record: when its sticker was last opened, and those of which a drill was done."""

    last: dict[int, datetime]
    rehearsed: frozenset[int]

    def is_tried(self, record_id: int) -> bool:
        return record_id in self.last or record_id in self.rehearsed


_entries = Base.metadata.tables[AuditEntry.__tablename__].c
_is_rehearsed = _entries.action == REHEARSED
_by_stranger = or_(_entries.actor == SCANNED, _entries.actor.startswith(BROKEN_GLASS))
_OPENINGS = Prepared(
    select(_entries.record_id, _is_rehearsed.label("is_rehearsed"), func.max(_entries.at).label("at"))
    .where(one_of(_entries.record_id, "records"), or_(_by_stranger, _is_rehearsed))
    .group_by(_entries.record_id, _is_rehearsed)
)


def openings_of(tx: Transaction, record_ids: Sequence[int]) -> Openings:
    rows = tx.all(_OPENINGS, records=record_ids)
    return Openings(
        {row.record_id: row.at for row in rows if not row.is_rehearsed},
        frozenset(row.record_id for row in rows if row.is_rehearsed),
    )
