"""The quiet time of a record: an emergency that follows soon after another alerts nobody yet.

It lasts `alert_quiet_minutes` from the moment an earlier one began to alert, ten at most. Another live tag than the one
that alerted, or broken glass, ends it, once: the alert that this lets through begins a quiet time that only its end
ends. So whoever opens and cancels in a loop, with every sticker in hand, alerts twice in that time and no more."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from sqlalchemy import bindparam, case, func, select

from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_permission import PermissionSource
from ficha.emergencies.emergency import EmergencyState
from ficha.emergencies.ladder import STAFF_CHANNEL
from ficha.emergencies.step_rows import emergencies, steps
from ficha.emergencies.steps import OVER

BROKEN_GLASS = "glass:"
# No ladder waits longer before it begins, so what was opened before this cannot have begun lately.
LATELY = timedelta(days=1)


class EarlierAlert(NamedTuple):
    """Another emergency of the record, and when it began to alert."""

    code: str
    entrance: str
    began: datetime


_began = func.min(steps.c.started_at)
_sent = func.sum(case((steps.c.state.not_in(OVER), 1), else_=0))
# A test message alerts nobody and holds no alert back, and neither does a ladder that could send nothing.
EARLIER = Prepared(
    select(emergencies.c.code, emergencies.c.entrance, _began.label("began"))
    .join(steps, steps.c.emergency_id == emergencies.c.id)
    .where(emergencies.c.record_id == bindparam("record"), emergencies.c.id != bindparam("emergency"))
    .where(emergencies.c.is_drill.is_(False), emergencies.c.opened_at > bindparam("opened_since"))
    .where(steps.c.channel != STAFF_CHANNEL)
    .group_by(emergencies.c.id, emergencies.c.code, emergencies.c.entrance)
    .having(_began > bindparam("since"), _sent > 0)
    .order_by(_began)
)


class HeldEmergency(Protocol):
    """What decides whether an emergency is held back, however it was read."""

    @property
    def id(self) -> int: ...
    @property
    def record_id(self) -> int: ...
    @property
    def state(self) -> str: ...
    @property
    def is_drill(self) -> bool: ...
    @property
    def code(self) -> str: ...
    @property
    def entrance(self) -> str: ...
    @property
    def opened_by(self) -> str: ...


class ScanProof(NamedTuple):
    """By what an emergency was opened or joined: the way in, the sticker's code, and who the log names."""

    entrance: str
    code: str
    actor: str


@dataclass(frozen=True)
class QuietTime:
    until: datetime
    # The sticker whose tag alerted last; empty where it was alerted by a typed code or an account.
    alerted_by: str
    # One alert was let through already.
    is_spent: bool

    def ends_for(self, proof: ScanProof) -> bool:
        if self.is_spent or proof.entrance != PermissionSource.TAG:
            return False
        return proof.actor.startswith(BROKEN_GLASS) or proof.code != self.alerted_by


def quiet_time(tx: Transaction, emergency_id: int, record_id: int, quiet: timedelta, now: datetime) -> QuietTime | None:
    """That in which this emergency falls; None if nobody was alerted lately."""
    rows = tx.all(EARLIER, record=record_id, emergency=emergency_id, since=now - 2 * quiet, opened_since=now - LATELY)
    earlier = [EarlierAlert(*row) for row in rows]
    if not earlier or earlier[-1].began + quiet <= now:
        return None
    last = earlier[-1]
    # Who alerts within the quiet time of another was let through.
    is_spent = len(earlier) > 1 and last.began < earlier[-2].began + quiet
    return QuietTime(last.began + quiet, last.code if last.entrance == PermissionSource.TAG else "", is_spent)


def may_end_quiet(tx: Transaction, emergency: HeldEmergency, quiet: timedelta, now: datetime, proof: ScanProof) -> bool:
    """Whether this scan, joining the emergency that is held back, would alert at once."""
    found = quiet_time(tx, emergency.id, emergency.record_id, quiet, now)
    return found is not None and found.ends_for(proof)


def held_until(
    tx: Transaction, emergency: HeldEmergency, quiet: timedelta, now: datetime, *more: ScanProof
) -> datetime | None:
    """When this emergency, of which no step was taken, begins to alert; None if at once. `more` are scans that joined
    it."""
    if emergency.state != EmergencyState.OPEN or emergency.is_drill:
        return None
    found = quiet_time(tx, emergency.id, emergency.record_id, quiet, now)
    opened = ScanProof(emergency.entrance, emergency.code, emergency.opened_by)
    if found is None or any(found.ends_for(proof) for proof in (opened, *more)):
        return None
    return found.until
