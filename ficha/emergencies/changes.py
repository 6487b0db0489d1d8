"""How an emergency goes on and ends: open → acknowledged → resolved or canceled, each with who and when."""

from datetime import datetime

from sqlalchemy.orm import Session

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, Source
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.fmd.records import Record

# A false alarm is canceled, and a person found well resolved, without anybody having to say "I am going" first.
STEPS = {
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


def allows(now: EmergencyState, then: EmergencyState) -> bool:
    return then in STEPS[now]


def move_on(
    session: Session,
    emergency: Emergency,
    to: EmergencyState,
    actor: Actor,
    now: datetime,
    *,
    via: str = "",
    origin: str = "",
    record: Record | None = None,
) -> bool:
    """True when it moved. Saying again what is so already changes nothing: who and when stay those of the first.
    The ladder looks at the state before each step, so it needs no telling."""
    record = record or lock_record(session, emergency.record_id)
    session.refresh(emergency)
    was = EmergencyState(emergency.state)
    if was is to:
        return False
    if not allows(was, to):
        raise EmergencyEnded
    emergency.state = to
    setattr(emergency, f"{to}_at", now)
    setattr(emergency, f"{to}_by", str(actor))
    if not emergency.is_live:
        emergency.current_record_id = None
    audit.note(session, record.id, actor, f"emergency.{to}", [f"emergency:{emergency.id}"], now, via=via, origin=origin)
    publish_change(session, "emergency.changed", emergency, record, now)
    return True
