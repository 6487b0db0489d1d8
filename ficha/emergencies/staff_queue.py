"""The emergencies that wait for staff because nobody of the family answered: states and times, no names."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, func, select

from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import LIVE, Emergency
from ficha.emergencies.emergency_access import waits_for_staff
from ficha.emergencies.steps import Step


class QueuedEmergency(NamedTuple):
    """`channel` and `step_state` are those of the newest step of the ladder, `steps` how many there are."""

    id: int
    state: str
    opened_at: datetime
    staff_at: datetime | None
    scans: int
    steps: int
    channel: str
    step_state: str


def staff_queue(tx: Transaction, *, is_live: bool, from_id: int, limit: int) -> list[QueuedEmergency]:
    """Those under way with the longest wait first, above the id; those that ended with the newest first, below it."""
    # Places have no gap: the newest is also how many there are.
    newest = select(func.max(Step.place)).where(Step.emergency_id == Emergency.id).correlate(Emergency)
    query = (
        select(
            Emergency.id,
            Emergency.state,
            Emergency.opened_at,
            Emergency.staff_at,
            Emergency.scans,
            func.coalesce(Step.place, 0),
            func.coalesce(Step.channel, ""),
            func.coalesce(Step.state, ""),
        )
        .outerjoin(Step, and_(Step.emergency_id == Emergency.id, Step.place == newest.scalar_subquery()))
        .where(waits_for_staff())
        .limit(limit)
    )
    if is_live:
        query = query.where(Emergency.state.in_(LIVE), Emergency.id > from_id).order_by(Emergency.id)
    else:
        query = query.where(Emergency.state.not_in(LIVE), Emergency.id < from_id).order_by(Emergency.id.desc())
    return [QueuedEmergency(*row) for row in tx.orm.execute(query)]


def count_live(tx: Transaction) -> int:
    """How many wait for staff now."""
    counted = select(func.count()).select_from(Emergency).where(waits_for_staff(), Emergency.state.in_(LIVE))
    return tx.orm.scalar(counted) or 0
