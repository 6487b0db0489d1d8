"""Who may see and change which emergencies: owner, guardians and delegates theirs, staff the queue."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, or_, select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.secrets import KeyDestroyed
from ficha.emergencies.changes import move_on
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.positions import Position, opened_position
from ficha.emergencies.steps import CalledContact, Label, Step, called_in, label_of, steps_of
from ficha.fmd.grants import Grant, GrantKind
from ficha.fmd.records import Record

STAFF = "staff"


class EmergencyUnknown(FichaError):
    """None of that number, or somebody else's: one answer."""

    status = 404
    code = "emergencia_desconocida"
    message = "No hay una emergencia con ese número, o usted no puede verla."


class MayNotChangeEmergency(FichaError):
    status = 403
    code = "emergencia_solo_lectura"
    message = "Usted puede ver esta emergencia, pero no cambiarla."


@dataclass(frozen=True)
class VisibleStep:
    """`called` and `label` are empty for the staff queue; `label` also for staff, who need no names."""

    step: Step
    called: CalledContact | None
    label: Label


@dataclass(frozen=True)
class VisibleEmergency:
    emergency: Emergency
    via: str
    position: Position | None
    steps: list[VisibleStep]


def visible_emergencies(
    session: Session, caller: Caller, now: datetime, *, before: int, limit: int, state: EmergencyState | None = None
) -> list[Emergency]:
    """Newest first, below the id `before`."""
    mine = or_(
        Emergency.record_id.in_(select(Record.id).where(Record.account_id == caller.account_id)),
        Emergency.record_id.in_(select(Grant.record_id).where(_granted(caller, now))),
        *([_in_queue()] if caller.has(Role.STAFF) else []),
    )
    query = select(Emergency).where(mine, Emergency.id < before)
    if state is not None:
        query = query.where(Emergency.state == state)
    return list(session.scalars(query.order_by(Emergency.id.desc()).limit(limit)))


def visible_emergency(
    session: Session, keyring: Keyring, caller: Caller, emergency_id: int, now: datetime
) -> VisibleEmergency:
    emergency, record, via = _found(session, caller, emergency_id, now)
    try:
        key = record.open_key(keyring)
    except KeyDestroyed:
        raise EmergencyUnknown from None
    called = called_in(session, emergency.id)
    steps = []
    for step in steps_of(session, emergency.id):
        contact = called.get(step.contact_id or "")
        label = label_of(key, contact) if contact else Label("", "")
        steps.append(VisibleStep(step, contact, Label("", label.relacion) if via == STAFF else label))
    return VisibleEmergency(emergency, via, opened_position(key, record.id, emergency.position), steps)


def change_emergency(
    session: Session, caller: Caller, emergency_id: int, to: EmergencyState, now: datetime, *, origin: str = ""
) -> Emergency:
    emergency, _, via = _found(session, caller, emergency_id, now)
    if via in (STAFF, GrantKind.INSTITUTION):
        raise MayNotChangeEmergency
    move_on(session, emergency, to, Actor("account", caller.account_id), now, via=via, origin=origin)
    return emergency


def _found(session: Session, caller: Caller, emergency_id: int, now: datetime) -> tuple[Emergency, Record, str]:
    row = session.execute(
        select(Emergency, Record, Grant.kind)
        .join(Record, Record.id == Emergency.record_id)
        .outerjoin(Grant, and_(Grant.record_id == Record.id, _granted(caller, now)))
        .where(Emergency.id == emergency_id)
        .limit(1)
    ).one_or_none()
    if row is None:
        raise EmergencyUnknown
    emergency, record, kind = row
    if record.account_id == caller.account_id:
        return emergency, record, "owner"
    if kind is not None:
        return emergency, record, kind
    if caller.has(Role.STAFF) and emergency.staff_at is not None and not emergency.is_drill:
        return emergency, record, STAFF
    raise EmergencyUnknown


def _granted(caller: Caller, now: datetime) -> ColumnElement[bool]:
    return and_(Grant.account_id == caller.account_id, Grant.ends_at > now)


def _in_queue() -> ColumnElement[bool]:
    return and_(Emergency.staff_at.is_not(None), Emergency.is_drill.is_(False))
