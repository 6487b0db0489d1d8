"""The quiet time of a record: an emergency that follows soon after another alerts nobody yet.

It lasts `alert_quiet_minutes` from the moment an earlier one began to alert, ten at most. Another live tag than the one
that alerted, or broken glass, ends it, once: the alert that this lets through begins a quiet time that only its end
ends. So whoever opens and cancels in a loop, with every sticker in hand, alerts twice in that time and no more."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import AnyEmergency, EmergencyState, PermissionSource
from ficha.emergencies.statements import earlier_alerts

BROKEN_GLASS = "glass:"
# No ladder waits longer before it begins, so what was opened before this cannot have begun lately.
LATELY = timedelta(days=1)


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
    earlier = earlier_alerts(tx, record_id, emergency_id, since=now - 2 * quiet, opened_since=now - LATELY)
    if not earlier or earlier[-1][1] + quiet <= now:
        return None
    last, began = earlier[-1]
    # Who alerts within the quiet time of another was let through.
    is_spent = len(earlier) > 1 and began < earlier[-2][1] + quiet
    return QuietTime(began + quiet, last.code if last.entrance == PermissionSource.TAG else "", is_spent)


def may_end_quiet(tx: Transaction, emergency: AnyEmergency, quiet: timedelta, now: datetime, proof: ScanProof) -> bool:
    """Whether this scan, joining the emergency that is held back, would alert at once."""
    found = quiet_time(tx, emergency.id, emergency.record_id, quiet, now)
    return found is not None and found.ends_for(proof)


def next_alert_held_until(
    tx: Transaction, record_id: int, quiet: timedelta, now: datetime, proof: ScanProof
) -> datetime | None:
    """When an emergency that this scan would open would begin to alert; None if at once."""
    found = quiet_time(tx, 0, record_id, quiet, now)
    return None if found is None or found.ends_for(proof) else found.until


def held_until(
    tx: Transaction, emergency: AnyEmergency, quiet: timedelta, now: datetime, *more: ScanProof
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
