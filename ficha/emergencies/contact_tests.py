"""Test messages: the owner sees whether a contact can be reached. It is a step of a drill that is sent after all, by
the ladder's own channels, in words that say it is a test. It never counts as an alert: no later one waits for it."""

from collections.abc import Callable
from datetime import datetime

from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_permission import AlertPermission
from ficha.emergencies.alert_targets import AlertTarget, target_of
from ficha.emergencies.alert_texts import alert_source
from ficha.emergencies.channels.catalog import CHANNEL_BY_NAME
from ficha.emergencies.channels.channel import Alert, ChannelServices
from ficha.emergencies.contacts import contact_with
from ficha.emergencies.drills import DrillNotYours, run_drill
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.opening import note_opened
from ficha.emergencies.reachability import NO_ADDRESS, Reach
from ficha.emergencies.statements import known_target, save_step, steps_of
from ficha.emergencies.steps import StepRow, StepState
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of

# Called with a name of the number or mailbox before anything is sent there; raises if it got too many.
CountTarget = Callable[[str], None]


class TestUnknown(FichaError):
    status = 404
    code = "prueba_desconocida"
    message = "Ese contacto no está en el simulacro, o ya se le envió la prueba por ahí. Haga otro simulacro."


def send_test(
    tx: Transaction,
    services: ChannelServices,
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
    services: ChannelServices,
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
    target = target_of(services.secrets, channel.name, address)
    known = known_target(tx, record.id, target)
    if known is not None and known.refused_at is not None:
        return step.ended(StepState.SKIPPED, now, Reach.REFUSED)
    count_target(target.hex())
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
    target = target_of(secrets, channel, address)
    row = tx.orm.get(AlertTarget, (record.id, target))
    if row is None:
        row = AlertTarget(record_id=record.id, target=target, emergency_id=drill.id, contact_id=contact_id)
        row.channel, row.alerted_at = channel, now
        tx.orm.add(row)
    row.confirmed_at, row.refused_at = (None, now) if is_refused else (now, None)
