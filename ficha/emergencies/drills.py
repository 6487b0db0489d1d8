"""Drills: the owner sees every step that an emergency would take and what stands in the way, and nothing is sent but
the test messages that she asks for. A test is a step of a drill that is sent after all, in words that say so. It never
counts as an alert: no later one waits for it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.channels.job_services import JobServices
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError, Source
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import alert_source
from ficha.emergencies.channels.catalog import CHANNEL_BY_NAME, CHANNELS
from ficha.emergencies.channels.channel import Alert
from ficha.emergencies.contacts import contact_with, contacts_in
from ficha.emergencies.emergency import AlertTarget, Emergency, targets_of
from ficha.emergencies.emergency_access import VisibleEmergency, VisibleStep
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.ladder import plan_steps
from ficha.emergencies.opening import AlertPermission, new_emergency, note_opened, shared_position
from ficha.emergencies.positions import Position
from ficha.emergencies.reachability import NO_ADDRESS, Reach, obstacle_of
from ficha.emergencies.statements import insert_step, known_target, save_step, steps_of, store_called
from ficha.emergencies.steps import STAFF_CHANNEL, StepRow, StepState
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import Documents, documents_of


class DrillNotYours(FichaError):
    status = 403
    code = "simulacro_solo_titular"
    message = "Un simulacro solo lo hace la persona titular o su representante, con su cuenta."
    source = Source("pointer", "/simulacro")


def run_drill(
    tx: Transaction, secrets: Secrets, permission: AlertPermission, now: datetime, position: Position | None = None
) -> Emergency:
    """Stores a drill with all its steps. Raises DrillNotYours unless the permission is the owner's or a guardian's.

    It queues no job, so nothing can be sent by mistake, and no scan joins it."""
    if not permission.may_drill:
        raise DrillNotYours
    record = lock_record(tx, permission.record.id)
    drill = new_emergency(permission, now, shared_position(tx, permission, position), is_drill=True)
    tx.orm.add(drill)
    tx.orm.flush()
    note_opened(tx, permission, drill, now, "emergency.rehearsed")
    _write_steps(tx, secrets, permission, drill, now)
    publish_change(tx, "emergency.opened", drill, record, now)
    return drill


def _write_steps(
    tx: Transaction, secrets: Secrets, permission: AlertPermission, drill: Emergency, now: datetime
) -> None:
    documents = documents_of(tx, permission.record.id, permission.key, ["emergencia"])
    planned = plan_steps(contacts_in(documents.get("emergencia")), CHANNELS)
    for contact in {step.contact.id: step.contact for step in planned}.values():
        store_called(tx, secrets, permission.key, drill.id, contact, now)
    steps = [*((step.contact.id, step.channel) for step in planned), (None, STAFF_CHANNEL)]
    for place, (contact_id, channel) in enumerate(steps, start=1):
        insert_step(tx, StepRow(drill.id, place, channel, now, contact_id, StepState.SIMULATED, ended_at=now))


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


# Called with a name of the number or mailbox before anything is sent there; raises if it got too many.
CountTarget = Callable[[str], None]


class TestUnknown(FichaError):
    status = 404
    code = "prueba_desconocida"
    message = "Ese contacto no está en el simulacro, o ya se le envió la prueba por ahí. Haga otro simulacro."


def send_test(
    tx: Transaction,
    services: JobServices,
    permission: AlertPermission,
    contact_id: str,
    channel: str,
    now: datetime,
    count_target: CountTarget,
    drill_id: int | None = None,
) -> Emergency:
    """Sends one contact a test by one channel, and returns the drill that it is a step of: this one, or a new one. What
    cannot be sent ends its step with the reason. Raises DrillNotYours, TestUnknown, or what `count_target` raises."""
    if not permission.may_drill:
        raise DrillNotYours
    if drill_id is None:
        drill = run_drill(tx, services.secrets, permission, now)
    else:
        drill = _drill(tx, permission.record.id, drill_id)
    record = lock_record(tx, permission.record.id)
    steps = {(step.contact_id, step.channel): step for step in steps_of(tx, drill.id)}
    step = steps.get((contact_id, channel))
    if step is None or step.state != StepState.SIMULATED or not drill.is_live:
        raise TestUnknown
    save_step(tx, _sent(tx, services, drill, record, step, now, count_target))
    note_opened(tx, permission, drill, now, "contact.tested")
    publish_change(tx, "emergency.changed", drill, record, now, step=step.place, channel=channel)
    return drill


def _drill(tx: Transaction, record_id: int, drill_id: int) -> Emergency:
    found = tx.orm.get(Emergency, drill_id)
    if found is None or found.record_id != record_id or not found.is_drill:
        raise TestUnknown
    return found


def _sent(
    tx: Transaction,
    services: JobServices,
    drill: Emergency,
    record: Record,
    step: StepRow,
    now: datetime,
    count_target: CountTarget,
) -> StepRow:
    source = alert_source(tx, services.keyring, drill, record)
    contact = contact_with(source.documents, step.contact_id)
    channel = CHANNEL_BY_NAME[step.channel]
    address = channel.address(contact) if contact else ""
    step = step._replace(started_at=now, ended_at=None, state=StepState.QUEUED)
    if contact is None or not address:
        return step.ended(StepState.SKIPPED, now, NO_ADDRESS)
    targets = targets_of(services.secrets, channel.name, address)
    known = known_target(tx, record.id, targets)
    if known is not None and known.refused_at is not None:
        return step.ended(StepState.SKIPPED, now, Reach.REFUSED)
    count_target(min(targets).hex())
    return channel.queue(tx, services, Alert(source, contact, address, step), now)


def note_test_answer(
    tx: Transaction,
    keyring: Keyring,
    secrets: Secrets,
    drill: Emergency,
    contact_id: str,
    channel: str,
    now: datetime,
    *,
    is_refused: bool,
) -> None:
    """Whoever answers a test agrees to get this record's alerts there, or declines, as by the answer to an alert."""
    record = tx.orm.get_one(Record, drill.record_id)
    documents = documents_of(tx, record.id, record.open_key(keyring), ["emergencia"])
    contact = contact_with(documents, contact_id)
    address = CHANNEL_BY_NAME[channel].address(contact) if contact else ""
    if not address:
        return
    targets = targets_of(secrets, channel, address)
    known = known_target(tx, record.id, targets)
    row = None if known is None else tx.orm.get(AlertTarget, (record.id, known.target))
    if row is None:
        row = AlertTarget(record_id=record.id, target=targets[0], emergency_id=drill.id, contact_id=contact_id)
        row.channel, row.alerted_at = channel, now
        tx.orm.add(row)
    row.confirmed_at, row.refused_at = (None, now) if is_refused else (now, None)
