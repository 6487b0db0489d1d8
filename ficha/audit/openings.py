"""When strangers last opened records, by the log: for many records in one statement."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import case, func, or_, select

from ficha.audit.log import AuditEntry
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


def openings_of(tx: Transaction, record_ids: Collection[int]) -> Openings:
    kind = case((AuditEntry.action == REHEARSED, REHEARSED), else_=SCANNED)
    by_stranger = or_(AuditEntry.actor == SCANNED, AuditEntry.actor.startswith(BROKEN_GLASS))
    query = (
        select(AuditEntry.record_id, kind.label("kind"), func.max(AuditEntry.at).label("at"))
        .where(AuditEntry.record_id.in_(record_ids), or_(by_stranger, AuditEntry.action == REHEARSED))
        .group_by(AuditEntry.record_id, kind)
    )
    rows = tx.orm.execute(query).all()
    return Openings(
        {row.record_id: row.at for row in rows if row.kind == SCANNED},
        frozenset(row.record_id for row in rows if row.kind == REHEARSED),
    )
