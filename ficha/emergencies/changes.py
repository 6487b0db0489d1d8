"""How an emergency goes on and ends: open → acknowledged → resolved or canceled, each with who and when."""

from datetime import datetime

from sqlalchemy.orm import Session

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, Source
from ficha.emergencies.audience import hold, tell
from ficha.emergencies.emergency import Emergency, State
from ficha.fmd.records import Record

# A false alarm is canceled, and a person found well resolved, without anybody having to say "I am going" first.
STEPS = {
    State.OPEN: (State.ACKNOWLEDGED, State.RESOLVED, State.CANCELED),
    State.ACKNOWLEDGED: (State.RESOLVED, State.CANCELED),
    State.RESOLVED: (),
    State.CANCELED: (),
}


class EmergencyEnded(FichaError):
    status = 409
    code = "emergencia_terminada"
    message = "Esa emergencia ya no puede pasar a ese estado."
    source = Source("pointer", "/state")


def allows(now: State, then: State) -> bool:
    return then in STEPS[now]


def move_on(
    session: Session,
    emergency: Emergency,
    to: State,
    actor: Actor,
    now: datetime,
    *,
    via: str = "",
    origin: str = "",
    record: Record | None = None,
) -> bool:
    """True when it moved. Saying again what is so already changes nothing: who and when stay those of the first.
    The ladder looks at the state before each step, so it needs no telling."""
    record = record or hold(session, emergency.record_id)
    session.refresh(emergency)
    was = State(emergency.state)
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
    tell(session, "emergency.changed", emergency, record, now)
    return True
