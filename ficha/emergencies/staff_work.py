"""What staff do with an emergency that was given to them: take it, write notes, open one, hand it back. None of it
changes the ladder or the state: whoever is responsible for the record closes the emergency."""

from dataclasses import dataclass
from datetime import datetime

from ficha.accounts.people_list import names_of
from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.conversations.desk_conversations import number_for_emergency, put_emergency
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError, Problem, Sentence
from ficha.core.secrets import KeyDestroyed
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.emergency_access import STAFF, EmergencyUnknown
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.on_call import desk_labels
from ficha.emergencies.staff_notes import NoteKind, NoteWriter, StaffNote, note_at, words_of_note
from ficha.events.publish import publish
from ficha.fmd.access import FmdNotFound
from ficha.fmd.records import Record
from ficha.notices.opened_notes import has_opened_note, note_opening


class TakenByAnother(FichaError):
    status = 409
    code = "emergencia_tomada"
    message = "Otra persona del equipo tiene esta emergencia."

    def __init__(self, name: str) -> None:
        super().__init__(self.message)
        self._detail = Sentence("{name} tiene esta emergencia.", name=name) if name else self.message

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self._detail)]


class EmergencyNotTaken(FichaError):
    status = 409
    code = "emergencia_sin_tomar"
    message = "Nadie del equipo tiene esta emergencia."


class DeskAbsent(FichaError):
    status = 409
    code = "sin_mesa_de_ayuda"
    message = "Este servicio no está unido a una mesa de ayuda."


class EmergencyOver(FichaError):
    status = 409
    code = "emergencia_ya_terminada"
    message = "Esa emergencia ya terminó: no hay nada que tomar ni que devolver."


def take_emergency(tx: Transaction, caller: Caller, emergency_id: int, now: datetime, *, origin: str) -> Emergency:
    """Of two at once, one has it. Taking it again changes nothing. Raises EmergencyUnknown, EmergencyOver or
    TakenByAnother."""
    emergency, record = _lock_for_staff(tx, caller, emergency_id)
    if not emergency.is_live:
        raise EmergencyOver
    if emergency.taken_by == str(caller.actor):
        return emergency
    if emergency.taken_by is not None:
        raise TakenByAnother(name_of_holder(tx, emergency))
    emergency.taken_at, emergency.taken_by = now, str(caller.actor)
    _note(tx, record, caller.actor, "emergency.taken", emergency, now, origin=origin)
    publish_change(tx, "emergency.changed", emergency, record, now, taken=True)
    return emergency


def hand_back(
    tx: Transaction,
    keyring: Keyring,
    settings: Settings,
    caller: Caller,
    emergency_id: int,
    why: str,
    now: datetime,
    *,
    origin: str,
) -> Emergency:
    """Into the queue again, of which the desk is told. By who has it, or by an administrator in her place; the reason
    is kept as a note. Raises EmergencyUnknown, EmergencyOver, EmergencyNotTaken or TakenByAnother."""
    emergency, record = _lock_for_staff(tx, caller, emergency_id)
    if not emergency.is_live:
        raise EmergencyOver
    if emergency.taken_by is None:
        raise EmergencyNotTaken
    if emergency.taken_by != str(caller.actor) and not caller.acts_as_admin:
        raise TakenByAnother(name_of_holder(tx, emergency))
    emergency.taken_at = emergency.taken_by = None
    writer = NoteWriter(tx, _key_of(record, keyring), emergency.id, caller.account_id)
    note, _ = writer.add(NoteKind.HANDED_BACK, why, now)
    _note(tx, record, caller.actor, "emergency.handed_back", emergency, now, origin=origin)
    publish_change(tx, "emergency.changed", emergency, record, now, taken=False)
    if settings.bridges_conversations:
        labels = desk_labels(tx, record, now)
        put_emergency(tx, emergency.id, labels, unanswered=True, handed_back=note.place)
    return emergency


def write_note(
    tx: Transaction, keyring: Keyring, caller: Caller, emergency_id: int, words: str, now: datetime, *, origin: str
) -> StaffNote:
    """Also after the end. Raises EmergencyUnknown or NotesFull."""
    emergency, record = _lock_for_staff(tx, caller, emergency_id)
    writer = NoteWriter(tx, _key_of(record, keyring), emergency.id, caller.account_id)
    note, is_new = writer.add(NoteKind.NOTE, words, now)
    if is_new:
        _note(tx, record, caller.actor, "emergency.noted", emergency, now, note.place, origin=origin)
        # The family need not look again: it sees no notes.
        payload = {"id": emergency.id, "state": emergency.state, "staff": True, "simulacro": False, "note": note.place}
        publish(tx, "emergency.changed", payload, now, staff=True)
    return note


def desk_conversation(
    tx: Transaction, settings: Settings, caller: Caller, emergency_id: int, now: datetime
) -> int | None:
    """The number of its conversation at the platform. None if it is not there yet: then it is asked for. Raises
    EmergencyUnknown, or DeskAbsent where there is no platform."""
    emergency = staff_emergency(tx, caller, emergency_id)
    if not settings.bridges_conversations:
        raise DeskAbsent
    number = number_for_emergency(tx, emergency.id)
    if number is None:
        record = tx.orm.get_one(Record, emergency.record_id)
        put_emergency(tx, emergency.id, desk_labels(tx, record, now), unanswered=False)
    return number


@dataclass(frozen=True)
class OpenNote:
    note: StaffNote
    words: str


def open_note(
    tx: Transaction,
    keyring: Keyring,
    caller: Caller,
    emergency_id: int,
    place: int,
    why: str,
    now: datetime,
    *,
    origin: str,
) -> OpenNote:
    """Her own too: each look is written into the record's log, and told to the owner. Raises EmergencyUnknown or
    NoteUnknown."""
    emergency, record = _lock_for_staff(tx, caller, emergency_id)
    note, key = note_at(tx, emergency.id, place), _key_of(record, keyring)
    note_opening(tx, key, record.id, note.id, caller.account_id, why, now, origin=origin)
    _note(tx, record, caller.actor, "emergency.note_opened", emergency, now, place, origin=origin)
    return OpenNote(note, words_of_note(key, note))


def opened_note(
    tx: Transaction, keyring: Keyring, caller: Caller, emergency_id: int, place: int, now: datetime
) -> tuple[StaffNote, str | None]:
    """The note, and its words for an hour after the caller opened it; None before and later. Raises EmergencyUnknown or
    NoteUnknown."""
    emergency = staff_emergency(tx, caller, emergency_id)
    note = note_at(tx, emergency.id, place)
    if not has_opened_note(tx, note.id, caller.account_id, now):
        return note, None
    return note, words_of_note(_key_of(tx.orm.get_one(Record, emergency.record_id), keyring), note)


def staff_emergency(tx: Transaction, caller: Caller, emergency_id: int) -> Emergency:
    """One that was given to staff. Raises EmergencyUnknown, or SecondFactorDemanded."""
    caller.must_act_as_staff(EmergencyUnknown)
    emergency = tx.orm.get(Emergency, emergency_id)
    if emergency is None or emergency.staff_at is None or emergency.is_drill:
        raise EmergencyUnknown
    return emergency


def name_of_holder(tx: Transaction, emergency: Emergency) -> str:
    """Empty if nobody has it, or her account is gone."""
    number = holder_id(emergency.taken_by)
    return "" if number is None else names_of(tx, {number}).get(number, "")


def holder_id(taken_by: str | None) -> int | None:
    return None if taken_by is None else int(taken_by.removeprefix("account:"))


def _lock_for_staff(tx: Transaction, caller: Caller, emergency_id: int) -> tuple[Emergency, Record]:
    emergency = staff_emergency(tx, caller, emergency_id)
    try:
        record = lock_record(tx, emergency.record_id)
    except FmdNotFound:
        raise EmergencyUnknown from None
    tx.orm.refresh(emergency)
    return emergency, record


def _key_of(record: Record, keyring: Keyring) -> bytes:
    try:
        return record.open_key(keyring)
    except KeyDestroyed:
        raise EmergencyUnknown from None


def _note(
    tx: Transaction,
    record: Record,
    actor: Actor,
    action: str,
    emergency: Emergency,
    now: datetime,
    place: int = 0,
    *,
    origin: str,
) -> None:
    what = [f"emergency:{emergency.id}"] + ([f"note:{place}"] if place else [])
    audit.note(tx, record.id, actor, action, what, now, via=STAFF, origin=origin)
