"""How the state of an emergency changes: open → acknowledged → resolved or canceled, each with who and when. Only a
contact who withdraws leads back, from acknowledged to open. With its record it is erased: states and times stay."""

from datetime import datetime

from sqlalchemy import delete, select, update

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, Source
from ficha.core.transaction import Transaction
from ficha.emergencies.contact_news import stop_alerts
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import lock_record, publish_change, queue_end_news
from ficha.emergencies.relay_lines import RelayMessage
from ficha.emergencies.relay_sender import stop_relay
from ficha.emergencies.staff_notes import StaffNote
from ficha.emergencies.statements import steps_of
from ficha.emergencies.steps import CalledContact
from ficha.fmd.records import Record
from ficha.messaging.message_content import erase_messages_about

# A false alarm is canceled, and a person found well resolved, without anybody having to acknowledge it first.
ALLOWED_CHANGES = {
    EmergencyState.OPEN: (EmergencyState.ACKNOWLEDGED, EmergencyState.RESOLVED, EmergencyState.CANCELED),
    EmergencyState.ACKNOWLEDGED: (EmergencyState.RESOLVED, EmergencyState.CANCELED),
    EmergencyState.RESOLVED: (),
    EmergencyState.CANCELED: (),
}


class EmergencyEnded(FichaError):
    status = 409
    code = "emergencia_terminada"
    message = "Esa emergencia ya no puede pasar a ese estado."
    source = Source("pointer", "/state")


def allows_change(old: EmergencyState, new: EmergencyState) -> bool:
    return new in ALLOWED_CHANGES[old]


def reopen(
    tx: Transaction, emergency: Emergency, record: Record, actor: Actor, now: datetime, *, via: str, origin: str
) -> None:
    """Nobody is coming any more. The caller has locked the record, and publishes it."""
    emergency.state, emergency.acknowledged_at, emergency.acknowledged_by = EmergencyState.OPEN, None, None
    what = [f"emergency:{emergency.id}"]
    audit.note(tx, record.id, actor, "emergency.reopened", what, now, via=via, origin=origin)


def change_state(
    tx: Transaction,
    emergency: Emergency,
    new: EmergencyState,
    actor: Actor,
    now: datetime,
    *,
    via: str = "",
    origin: str = "",
    record: Record | None = None,
) -> bool:
    """Locks the record unless the caller has. False if the state is the new one already: who and when stay those of
    the first change. Raises EmergencyEnded if the change is not allowed.

    The ladder reads the state before each step, so it stops by itself."""
    record = record or lock_record(tx, emergency.record_id)
    tx.orm.refresh(emergency)
    old = EmergencyState(emergency.state)
    if old is new:
        return False
    if not allows_change(old, new):
        raise EmergencyEnded
    emergency.state = new
    setattr(emergency, f"{new}_at", now)
    setattr(emergency, f"{new}_by", str(actor))
    if not emergency.is_live:
        emergency.current_record_id = None
        stop_relay(tx, emergency.id, now)
        if not emergency.is_drill:
            steps = steps_of(tx, emergency.id)
            stop_alerts(tx, steps, now)
            queue_end_news(tx, steps)
    what = [f"emergency:{emergency.id}"]
    audit.note(tx, record.id, actor, f"emergency.{new}", what, now, via=via, origin=origin)
    publish_change(tx, "emergency.changed", emergency, record, now)
    return True


def erase_emergencies(tx: Transaction, record_id: int, actor: Actor, now: datetime) -> None:
    """Positions, names of contacts, what alerts said, what was written, the notes of staff. The caller has locked the
    record. One that is not over is canceled: its ladder stops."""
    found = tx.orm.scalars(select(Emergency).where(Emergency.record_id == record_id)).all()
    for emergency in found:
        if emergency.is_live:
            emergency.state, emergency.canceled_at = EmergencyState.CANCELED, now
            emergency.canceled_by = str(actor)
        emergency.position = emergency.landmark = emergency.current_record_id = None
    ids = [emergency.id for emergency in found]
    tx.orm.execute(update(CalledContact).where(CalledContact.emergency_id.in_(ids)).values(label=b""))
    tx.orm.execute(delete(RelayMessage).where(RelayMessage.emergency_id.in_(ids)))
    tx.orm.execute(delete(StaffNote).where(StaffNote.emergency_id.in_(ids)))
    erase_messages_about(tx, [emergency.about for emergency in found])
