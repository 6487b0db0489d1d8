"""The emergencies that nobody of the family answered, so that they wait for staff."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import and_, bindparam, func, select

from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import LIVE, Emergency
from ficha.emergencies.steps import Step

WAITS_FOR_STAFF = and_(Emergency.staff_at.is_not(None), Emergency.is_drill.is_(False))
_WAITING = and_(WAITS_FOR_STAFF, Emergency.state.in_(LIVE))
# Places have no gap: the newest is also how many there are.
_newest = select(func.max(Step.place)).where(Step.emergency_id == Emergency.id).correlate(Emergency)
# Written once: to put them together took a tenth of the console's page.
_QUEUE = (
    select(
        Emergency.id,
        Emergency.state,
        Emergency.opened_at,
        Emergency.staff_at,
        Emergency.scans,
        func.coalesce(Step.place, 0),
        func.coalesce(Step.channel, ""),
        func.coalesce(Step.state, ""),
        Emergency.taken_at,
        Emergency.taken_by,
    )
    .outerjoin(Step, and_(Step.emergency_id == Emergency.id, Step.place == _newest.scalar_subquery()))
    .limit(bindparam("most"))
)
_from = bindparam("from_id", type_=Emergency.id.type)
_UNDER_WAY = _QUEUE.where(_WAITING, Emergency.id > _from).order_by(Emergency.id)
_ENDED = _QUEUE.where(WAITS_FOR_STAFF, Emergency.state.not_in(LIVE), Emergency.id < _from).order_by(Emergency.id.desc())
_NEWS = select(func.count(), func.count(Emergency.taken_by), func.max(Emergency.id)).where(_WAITING)


class QueuedEmergency(NamedTuple):
    """`channel` and `step_state` are those of the newest step of the ladder, `steps` how many there are. `taken_by` is
    who of staff has it."""

    id: int
    state: str
    opened_at: datetime
    staff_at: datetime | None
    scans: int
    steps: int
    channel: str
    step_state: str
    taken_at: datetime | None
    taken_by: str | None


class QueueNews(NamedTuple):
    """How many are under way, how many of them nobody has taken, and the newest."""

    live: int
    untaken: int
    newest: int | None


def staff_queue(tx: Transaction, *, is_live: bool, from_id: int, limit: int) -> list[QueuedEmergency]:
    """Those under way with the longest wait first, above the id; those that ended with the newest first, below it."""
    rows = tx.orm.execute(_UNDER_WAY if is_live else _ENDED, {"from_id": from_id, "most": limit})
    return [QueuedEmergency._make(row) for row in rows]


def queue_news(tx: Transaction) -> QueueNews:
    live, taken, newest = tx.orm.execute(_NEWS).one()
    return QueueNews(live, live - taken, newest)


def count_live(tx: Transaction) -> int:
    """How many wait for staff now."""
    return queue_news(tx).live
