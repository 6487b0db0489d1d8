"""A contact answers: by a button, a message, or the page behind the link that only they were sent."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.audit.log import Actor
from ficha.audit.log import note as note_in_log
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.emergencies.changes import move_on
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.positions import Position, opened_position
from ficha.emergencies.steps import CalledContact, ContactAnswer, Label, called_in, label_of, steps_of, token_hash
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.readable_documents import chosen_first_name, documents_of, zone_of
from ficha.fmd.records import Record


class LinkUnknown(FichaError):
    """Never given, mistyped, or of an emergency that is long over: one answer."""

    status = 404
    code = "enlace_desconocido"
    message = "Ese enlace no existe o ya no sirve. Si la emergencia sigue, llame a quien lo avisó."


@dataclass(frozen=True)
class AnswerView:
    """What somebody who was alerted may see: who, where, since when, and who is going. Nothing medical."""

    emergency_id: int
    state: EmergencyState
    is_drill: bool
    name: str
    zone: str
    since: datetime
    last_scan_at: datetime
    entrance: str
    position: Position | None
    own: Label
    answer: ContactAnswer | None
    coming: tuple[Label, ...]
    is_with_staff: bool


def view(session: Session, keyring: Keyring, token: str, now: datetime, timeouts: Timeouts) -> AnswerView:
    called, emergency, record = _behind(session, token, now, timeouts)
    key = record.open_key(keyring)
    documents = documents_of(session, record.id, key, ["personal", "preferencia"])
    others = called_in(session, emergency.id).values()
    return AnswerView(
        emergency_id=emergency.id,
        state=EmergencyState(emergency.state),
        is_drill=emergency.is_drill,
        name=chosen_first_name(documents),
        zone=zone_of(documents),
        since=emergency.opened_at,
        last_scan_at=emergency.last_scan_at,
        entrance=emergency.entrance,
        position=opened_position(key, record.id, emergency.position),
        own=label_of(key, called),
        answer=ContactAnswer(called.answer) if called.answer else None,
        coming=tuple(
            label_of(key, each)
            for each in others
            if each.answer == ContactAnswer.VOY and each.contact_id != called.contact_id
        ),
        is_with_staff=emergency.staff_at is not None,
    )


def answer(
    session: Session, token: str, said: ContactAnswer, now: datetime, timeouts: Timeouts, *, origin: str = ""
) -> Emergency:
    """From the page. An emergency that is over keeps what was said, and nothing else changes."""
    called, emergency, _ = _behind(session, token, now, timeouts)
    return store_answer(session, emergency.id, called.contact_id, said, "page", now, origin=origin)


def store_answer(
    session: Session,
    emergency_id: int,
    contact_id: str,
    said: ContactAnswer,
    how: str,
    now: datetime,
    *,
    origin: str = "",
) -> Emergency:
    """The same answer twice is one. Who can no longer come may say so, and who could not may come after all.
    Two that were put aside may arrive the other way round: the one that was said later counts."""
    emergency = session.get_one(Emergency, emergency_id)
    record = lock_record(session, emergency.record_id)
    session.refresh(emergency)
    called = called_in(session, emergency_id).get(contact_id)
    if called is None:
        raise LinkUnknown
    if called.answer == said or (called.answered_at is not None and now < called.answered_at):
        return emergency
    called.answer, called.answered_at, called.answered_by = said, now, how
    actor = Actor(f"contact:{contact_id}")
    note_in_log(
        session, record.id, actor, "contact.answered", [f"emergency:{emergency_id}", said], now, via=how, origin=origin
    )
    if said is ContactAnswer.VOY and emergency.state == EmergencyState.OPEN:
        move_on(session, emergency, EmergencyState.ACKNOWLEDGED, actor, now, via=how, origin=origin, record=record)
        return emergency
    if said is ContactAnswer.NO_PUEDO and not emergency.is_drill:
        _look_further(session, emergency, contact_id, now)
    publish_change(session, "emergency.changed", emergency, record, now)
    return emergency


def _look_further(session: Session, emergency: Emergency, contact_id: str, now: datetime) -> None:
    if emergency.state == EmergencyState.OPEN:
        steps = steps_of(session, emergency.id)
        if steps and steps[-1].contact_id == contact_id:
            steps[-1].ended_at = steps[-1].ended_at or now
            queue_escalation(session, emergency.id, steps[-1].place + 1)
    elif emergency.state == EmergencyState.ACKNOWLEDGED and not _somebody_comes(session, emergency.id):
        # Whoever was going is not: the ladder has stopped, so people of ours have to look.
        emergency.staff_at = emergency.staff_at or now


def _somebody_comes(session: Session, emergency_id: int) -> bool:
    session.flush()
    return any(called.answer == ContactAnswer.VOY for called in called_in(session, emergency_id).values())


def _behind(session: Session, token: str, now: datetime, timeouts: Timeouts) -> tuple[CalledContact, Emergency, Record]:
    row = session.execute(
        select(CalledContact, Emergency, Record)
        .join(Emergency, Emergency.id == CalledContact.emergency_id)
        .join(Record, Record.id == Emergency.record_id)
        .where(CalledContact.token_hash == token_hash(token), Record.erased_at.is_(None))
    ).one_or_none()
    if row is None or not _still_answers(row[1], now, timeouts.link):
        raise LinkUnknown
    return row[0], row[1], row[2]


def _still_answers(emergency: Emergency, now: datetime, after_end: timedelta) -> bool:
    return emergency.ended_at is None or now < emergency.ended_at + after_end
