"""What a drill shows: whom the ladder would reach, when, and what stands in the way. It sends and changes nothing."""

from dataclasses import dataclass, replace
from datetime import timedelta

from sqlalchemy import select

from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.channels.catalog import CHANNEL_BY_NAME
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_access import VisibleEmergency, VisibleStep
from ficha.emergencies.reachability import obstacle_of
from ficha.emergencies.steps import StepState
from ficha.fmd.stored_documents import Documents


@dataclass(frozen=True)
class DrillReport:
    steps: list[VisibleStep]
    staff_after: timedelta
    has_team: bool

    @property
    def reachable(self) -> int:
        """How many people."""
        return len({step.step.contact_id for step in self.steps if not step.obstacle})


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
        found.append(replace(each, obstacle=obstacle, after=None if obstacle else after))
        after += timedelta() if obstacle else channel.timeout(settings)
    return DrillReport(found, after, bool(settings.on_call_mails or settings.on_call_phones))


def drills_of(tx: Transaction, record_id: int, most: int) -> list[Emergency]:
    """The newest first."""
    query = select(Emergency).where(Emergency.record_id == record_id, Emergency.is_drill)
    return list(tx.orm.scalars(query.order_by(Emergency.id.desc()).limit(most)))
