"""Drills: the owner sees every step that an emergency would take, and nothing is sent."""

from datetime import datetime

from ficha.core.errors import FichaError, Source
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_permission import AlertPermission
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.ladder import plan_steps
from ficha.emergencies.opening import new_emergency, note_opened, shared_position
from ficha.emergencies.positions import Position
from ficha.emergencies.statements import insert_step, store_called
from ficha.emergencies.steps import STAFF_CHANNEL, StepRow, StepState
from ficha.fmd.stored_documents import documents_of


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
