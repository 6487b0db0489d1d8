"""Who may see and change which emergencies, and how each sees them: owner, guardians and delegates theirs (for their
pages see family_emergencies.py); staff those that nobody of the family answered, without names."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, or_, select

from ficha.accounts.tokens import Caller
from ficha.audit.read_log import ReadLog
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.secrets import KeyDestroyed
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import ProgressLine, lines_from, shown_contacts
from ficha.emergencies.emergency import Emergency, EmergencyState, Timeouts
from ficha.emergencies.positions import Position, opened_landmark, opened_position
from ficha.emergencies.quiet_time import held_until
from ficha.emergencies.staff_queue import WAITS_FOR_STAFF
from ficha.emergencies.state_changes import change_state
from ficha.emergencies.statements import called_in, steps_of
from ficha.emergencies.steps import CalledRow, ContactName, StepRow, StepState, name_of_contact, stalled_since
from ficha.fmd.access import OWNER, Rights, rights_of
from ficha.fmd.base import Door
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of

STAFF = "staff"
# In the log of the record: a page that was open showed what was new.
WATCHED = "emergency.watched"
# Staff look after those that nobody of the family answered; they change nothing.
STAFF_RIGHTS = Rights(Door.R, changes=False, manages=False)


class EmergencyUnknown(FichaError):
    """No emergency has that number, or the caller may not see it: both look the same."""

    status = 404
    code = "emergencia_desconocida"
    message = "No hay una emergencia con ese número, o usted no puede verla."


class MayNotChangeEmergency(FichaError):
    status = 403
    code = "emergencia_solo_lectura"
    message = "Usted puede ver esta emergencia, pero no cambiarla."


@dataclass(frozen=True)
class VisibleStep:
    """`called` and `contact` are empty for the step of staff. Staff gets the relation of `contact` without the name; so
    does who may not see that contact in the record.

    In the report of a drill, `after` says when the ladder would try it if nobody answers before; None if it would be
    skipped, by `obstacle`."""

    step: StepRow
    called: CalledRow | None
    contact: ContactName
    obstacle: str = ""
    after: timedelta | None = None

    @property
    def is_sent(self) -> bool:
        """Of a drill: a test message."""
        return self.step.state != StepState.SIMULATED

    @property
    def reached_after(self) -> timedelta | None:
        """How long the message took to be delivered, or answered."""
        times = [self.step.delivered_at, self.step.read_at, self.called.answered_at if self.called else None]
        known = [at for at in times if at is not None]
        return max(timedelta(), min(known) - self.step.started_at) if known and self.is_sent else None


@dataclass(frozen=True)
class VisibleEmergency:
    emergency: Emergency
    via: str
    position: Position | None
    steps: list[VisibleStep]
    may_change: bool = False
    # When it begins to alert, while it is held back.
    held_until: datetime | None = None
    # Since when it waits for what nobody does.
    stalled_since: datetime | None = None
    # Where it is, as whoever scanned wrote it. Empty if nobody did.
    landmark: str = ""


def visible_emergencies(
    tx: Transaction, caller: Caller, now: datetime, *, before: int, limit: int, state: EmergencyState | None = None
) -> list[Emergency]:
    """Newest first, below the id `before`."""
    visible = or_(
        Emergency.record_id.in_(select(Record.id).where(Record.account_id == caller.account_id)),
        Emergency.record_id.in_(select(Grant.record_id).where(_granted(caller, now))),
        *([WAITS_FOR_STAFF] if caller.acts_as_staff else []),
    )
    query = select(Emergency).where(visible, Emergency.id < before)
    if state is not None:
        query = query.where(Emergency.state == state)
    return list(tx.orm.scalars(query.order_by(Emergency.id.desc()).limit(limit)))


def visible_emergency(
    tx: Transaction, keyring: Keyring, caller: Caller, emergency_id: int, now: datetime, timeouts: Timeouts
) -> VisibleEmergency:
    """Raises EmergencyUnknown."""
    emergency, record, via, rights = _found(tx, caller, emergency_id, now)
    try:
        key = record.open_key(keyring)
    except KeyDestroyed:
        raise EmergencyUnknown from None
    called = called_in(tx, emergency.id)
    named = _named_contacts(tx, record.id, key, via, rights)
    steps = []
    for step in steps_of(tx, emergency.id):
        row = called.get(step.contact_id or "")
        contact = name_of_contact(key, row) if row else ContactName("", "")
        is_named = named is None or step.contact_id in named
        steps.append(VisibleStep(step, row, contact if is_named else ContactName("", contact.relacion)))
    position = opened_position(key, record.id, emergency.position)
    held = None if steps else held_until(tx, emergency, timeouts.quiet, now)
    taken = [each.step for each in steps]
    stalled = stalled_since(emergency, taken, called.values(), now) if held is None else None
    landmark = opened_landmark(key, record.id, emergency.landmark)
    return VisibleEmergency(emergency, via, position, steps, _may_change(via, rights), held, stalled, landmark)


def _named_contacts(
    tx: Transaction, record_id: int, key: bytes, via: str, rights: Rights
) -> Collection[str | None] | None:
    """The ids of those whose names the reader may know; None if she may know all."""
    if rights.door is Door.P:
        return None
    if via == STAFF:
        return ()
    return shown_contacts(documents_of(tx, record_id, key, ["emergencia", "consentimiento"]), rights.door)


def lines_of_visible(seen: VisibleEmergency, now: datetime) -> list[ProgressLine]:
    """Its progress, with as much of the contacts' names as the reader may know."""
    called = {each.called.contact_id: each.called for each in seen.steps if each.called is not None}
    names = {each.step.contact_id or "": (each.contact.relacion, each.contact.nombre) for each in seen.steps}
    return lines_from(seen.emergency, [each.step for each in seen.steps], called.values(), names, now, seen.held_until)


def note_look(
    read_log: ReadLog, seen: VisibleEmergency, caller: Caller, now: datetime, *, origin: str, continues: bool = False
) -> None:
    """Writes down that the caller looked at this emergency; raises ReadNotLogged, and then nothing may be shown. One
    that `continues` is of a page that stayed open and showed by itself what was new."""
    what = [f"emergency:{seen.emergency.id}"]
    action = WATCHED if continues else "emergency.read"
    read_log.note(
        seen.emergency.record_id, f"account:{caller.account_id}", action, what, now, via=seen.via, origin=origin
    )


def change_emergency(
    tx: Transaction, caller: Caller, emergency_id: int, to: EmergencyState, now: datetime, *, origin: str = ""
) -> Emergency:
    """For whoever may also change the record. Raises EmergencyUnknown, MayNotChangeEmergency or EmergencyEnded."""
    emergency, _, via, rights = _found(tx, caller, emergency_id, now)
    if not _may_change(via, rights):
        raise MayNotChangeEmergency
    change_state(tx, emergency, to, caller.actor, now, via=via, origin=origin)
    return emergency


def _may_change(via: str, rights: Rights) -> bool:
    return rights.changes and via != GrantKind.INSTITUTION


def _found(tx: Transaction, caller: Caller, emergency_id: int, now: datetime) -> tuple[Emergency, Record, str, Rights]:
    """Raises EmergencyUnknown, or SecondFactorDemanded of staff."""
    row = tx.orm.execute(
        select(Emergency, Record, Grant.kind, Grant.edits)
        .join(Record, Record.id == Emergency.record_id)
        .outerjoin(Grant, and_(Grant.record_id == Record.id, _granted(caller, now)))
        .where(Emergency.id == emergency_id)
        .limit(1)
    ).one_or_none()
    if row is None:
        raise EmergencyUnknown
    emergency, record, kind, edits = row
    if record.account_id == caller.account_id:
        return emergency, record, "owner", OWNER
    if kind is not None:
        return emergency, record, kind, rights_of(kind, edits)
    if emergency.staff_at is None or emergency.is_drill:
        raise EmergencyUnknown
    caller.must_act_as_staff(EmergencyUnknown)
    return emergency, record, STAFF, STAFF_RIGHTS


def _granted(caller: Caller, now: datetime) -> ColumnElement[bool]:
    return and_(Grant.account_id == caller.account_id, grant_is_live(now))
