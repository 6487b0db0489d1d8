"""What a drill shows: whom the ladder would reach, when, and what stands in the way. It sends and changes nothing."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_access import VisibleEmergency, VisibleStep
from ficha.emergencies.reachability import obstacle_of
from ficha.emergencies.steps import StepState
from ficha.fmd.readable_documents import Documents

CHANNEL_BY_NAME = {channel.name: channel for channel in CHANNELS}


@dataclass(frozen=True)
class DrillStep:
    """`after`: when the ladder would try it, if nobody answers before; None if it would be skipped, by `obstacle`.
    `reached_after`: how long the test message took to be delivered, or answered."""

    seen: VisibleStep
    obstacle: str
    after: timedelta | None
    reached_after: timedelta | None

    @property
    def is_tested(self) -> bool:
        return self.seen.step.state != StepState.SIMULATED


@dataclass(frozen=True)
class DrillReport:
    steps: list[DrillStep]
    staff_after: timedelta
    has_team: bool

    @property
    def reachable(self) -> int:
        """How many people."""
        return len({step.seen.step.contact_id for step in self.steps if not step.obstacle})


def drill_report(
    tx: Transaction, secrets: Secrets, settings: Settings, seen: VisibleEmergency, documents: Documents
) -> DrillReport:
    """`documents` are the record's contacts as they are now."""
    contacts = {contact.id: contact for contact in contacts_in(documents.get("emergencia"))}
    after, found = timedelta(), []
    for each in seen.steps:
        step = each.step
        channel = CHANNEL_BY_NAME.get(step.channel)
        if channel is None:  # The staff's.
            continue
        obstacle = step.reason or ""
        if step.state == StepState.SIMULATED:
            contact = contacts.get(step.contact_id or "")
            obstacle = obstacle_of(tx, secrets, settings, seen.emergency.record_id, contact, channel)
        found.append(DrillStep(each, obstacle, None if obstacle else after, _reached_after(each)))
        after += timedelta() if obstacle else channel.timeout(settings)
    return DrillReport(found, after, bool(settings.on_call_mails or settings.on_call_phones))


def drills_of(tx: Transaction, record_id: int, most: int) -> list[Emergency]:
    """The newest first."""
    query = select(Emergency).where(Emergency.record_id == record_id, Emergency.is_drill)
    return list(tx.orm.scalars(query.order_by(Emergency.id.desc()).limit(most)))


def _reached_after(each: VisibleStep) -> timedelta | None:
    step = each.step
    if step.state == StepState.SIMULATED:
        return None
    answered = each.called.answered_at if each.called else None
    times: list[datetime | None] = [step.delivered_at, step.read_at, answered]
    known = [at for at in times if at is not None]
    return max(timedelta(), min(known) - step.started_at) if known else None
