"""What a contact sees by the link that only they were sent, and the answers that contacts give."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.ids import secret_hash
from ficha.core.phones import zone_of_number
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import ProgressLine, lines_from
from ficha.emergencies.contacts import contact_with, door_of_number
from ficha.emergencies.drills import note_test_answer
from ficha.emergencies.emergency import Emergency, EmergencyState, Timeouts
from ficha.emergencies.emergency_events import lock_record, publish_change
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.positions import Position, opened_landmark, opened_position
from ficha.emergencies.relay_lines import RelayLine, queue_relay, relay_lines
from ficha.emergencies.state_changes import change_state, reopen
from ficha.emergencies.statements import called_in, end_step, has_refused, note_answer, steps_of
from ficha.emergencies.steps import (
    CalledContact,
    ContactAnswer,
    ContactName,
    StepRow,
    channel_of_mark,
    name_of_contact,
    split_link,
)
from ficha.fmd.base import Door
from ficha.fmd.records import Record
from ficha.fmd.responder.person import COUNTRY_MODELS, country_seen_by_responder
from ficha.fmd.stored_documents import Documents, documents_of, unfiltered_first_name, zone_of


class LinkUnknown(FichaError):
    """Never issued, mistyped, or of an emergency that ended too long ago: all look the same."""

    status = 404
    code = "enlace_desconocido"
    message = "Ese enlace no existe o ya no sirve. Si la emergencia sigue, llame a quien lo avisó."


@dataclass(frozen=True)
class AnswerView:
    """What a contact who was alerted may see: who, where, since when, and who is going. Nothing medical."""

    emergency_id: int
    state: EmergencyState
    is_drill: bool
    name: str
    zone: str
    country: str
    since: datetime
    last_scan_at: datetime
    entrance: str
    position: Position | None
    landmark: str
    own_id: str
    own: ContactName
    answer: ContactAnswer | None
    # By which channel she gets no more alerts of this person, because she said so on this page; else empty.
    declined: str
    # What became of the others' alerts, the newest first.
    others: list[ProgressLine]
    # What was written between the contacts and whoever is with the person, and the contacts who wrote.
    said: list[RelayLine]
    contacts: dict[str, ContactName]
    # Who sees her number on the sticker's page.
    number_door: Door


def view_by_link(
    tx: Transaction, keyring: Keyring, secrets: Secrets, link: str, now: datetime, timeouts: Timeouts
) -> AnswerView:
    """Raises LinkUnknown."""
    called, emergency, record = called_by_link(tx, link, now, timeouts)
    key = record.open_key(keyring)
    documents = documents_of(tx, record.id, key, ["preferencia", *COUNTRY_MODELS])
    everybody, steps = called_in(tx, emergency.id), steps_of(tx, emergency.id)
    contacts = {contact_id: name_of_contact(key, each) for contact_id, each in everybody.items()}
    names = {contact_id: (each.relacion, each.nombre) for contact_id, each in contacts.items()}
    lines = lines_from(emergency, steps, everybody.values(), names, now)
    channel = _channel_of(secrets, steps, called, link)
    refused = channel is not None and has_refused(tx, emergency.id, called.contact_id, channel)
    return AnswerView(
        emergency_id=emergency.id,
        state=EmergencyState(emergency.state),
        is_drill=emergency.is_drill,
        name=unfiltered_first_name(documents),
        zone=_zone(documents, called.contact_id),
        country=country_seen_by_responder(documents, now.date()),
        since=emergency.opened_at,
        last_scan_at=emergency.last_scan_at,
        entrance=emergency.entrance,
        position=opened_position(key, record.id, emergency.position),
        landmark=opened_landmark(key, record.id, emergency.landmark),
        own_id=called.contact_id,
        own=name_of_contact(key, called),
        answer=ContactAnswer(called.answer) if called.answer else None,
        declined=channel or "" if refused else "",
        others=[line for line in lines if line.contact_id != called.contact_id],
        said=relay_lines(tx, key, emergency.id) if emergency.is_live else [],
        contacts=contacts,
        number_door=door_of_number(documents, called.contact_id),
    )


def _zone(documents: Documents, contact_id: str) -> str:
    """Of the contact's number, else of the person."""
    contact = contact_with(documents, contact_id)
    return zone_of_number(contact.phone if contact else "") or zone_of(documents)


def answer_by_link(
    tx: Transaction,
    keyring: Keyring,
    secrets: Secrets,
    link: str,
    answer: ContactAnswer,
    now: datetime,
    timeouts: Timeouts,
    *,
    origin: str = "",
    declines: bool = False,
) -> Emergency:
    """Stores an answer given on the page, and that the person agrees to get alerts there, or declines to get any more.
    Raises LinkUnknown."""
    called, emergency, _ = called_by_link(tx, link, now, timeouts)
    contact_id = called.contact_id
    channel = _channel_of(secrets, steps_of(tx, emergency.id), called, link)
    answered = store_answer(tx, emergency.id, contact_id, answer, "page", now, origin=origin)
    if channel is not None and answered.is_drill:
        note_test_answer(tx, keyring, secrets, answered, contact_id, channel, now, is_refused=declines)
    elif channel is not None:
        note_answer(tx, emergency.id, contact_id, channel, now, is_refused=declines)
        queue_relay(tx, emergency.id)
    return answered


def _channel_of(secrets: Secrets, steps: Iterable[StepRow], called: CalledContact, link: str) -> str | None:
    """By which channel she got this link; None for links without its mark."""
    channels = {step.channel for step in steps if step.contact_id == called.contact_id}
    return channel_of_mark(secrets, called.emergency_id, called.contact_id, split_link(link)[1], channels)


def store_answer(
    tx: Transaction,
    emergency_id: int,
    contact_id: str,
    answer: ContactAnswer,
    how: str,
    now: datetime,
    *,
    origin: str = "",
    written_at: datetime | None = None,
) -> Emergency:
    """Locks the record. Raises FmdNotFound if it was erased, LinkUnknown if the contact was never alerted.

    The same answer twice is stored once. A contact may change their answer; answers that were queued may arrive in
    another order, and the one given later counts (`written_at`, by the clock of whoever wrote it). An unclear one only
    counts where there is no other. Whoever comes first acknowledges the emergency; whoever cannot come
    lets the ladder go on at once, also if she was coming and nobody else is. An emergency that has ended keeps the
    answer, and nothing else changes.
    """
    given_at = written_at or now
    emergency = tx.orm.get_one(Emergency, emergency_id)
    record = lock_record(tx, emergency.record_id)
    tx.orm.refresh(emergency)
    called = tx.orm.get(CalledContact, (emergency_id, contact_id), populate_existing=True)
    if called is None:
        raise LinkUnknown
    if called.answer == answer or _is_outdone(called, answer, given_at):
        return emergency
    withdraws = called.answer == ContactAnswer.VOY and answer is ContactAnswer.NO_PUEDO
    called.answer, called.answered_at, called.answered_by = answer, given_at, how
    called.withdrew_at = now if withdraws else None
    actor = Actor(f"contact:{contact_id}")
    what = [f"emergency:{emergency_id}", answer]
    audit.note(tx, record.id, actor, "contact.answered", what, now, via=how, origin=origin)
    if answer is ContactAnswer.VOY and emergency.state == EmergencyState.OPEN:
        change_state(tx, emergency, EmergencyState.ACKNOWLEDGED, actor, now, via=how, origin=origin, record=record)
        return emergency
    if answer is ContactAnswer.NO_PUEDO and not emergency.is_drill:
        if withdraws and emergency.state == EmergencyState.ACKNOWLEDGED and not _is_anybody_coming(tx, emergency_id):
            if (emergency.acknowledged_by or "").startswith("contact:"):
                reopen(tx, emergency, record, actor, now, via=how, origin=origin)
            else:  # Somebody with an account said that she goes. Staff looks whether she does.
                emergency.staff_at = emergency.staff_at or now
        if emergency.state == EmergencyState.OPEN:
            _continue_without(tx, emergency, called, now)
    publish_change(tx, "emergency.changed", emergency, record, now)
    return emergency


def store_call(tx: Transaction, emergency_id: int, contact_id: str, at: datetime, now: datetime) -> None:
    """Notes that a contact called our number. Locks the record; raises FmdNotFound if it was erased."""
    emergency = tx.orm.get_one(Emergency, emergency_id)
    record = lock_record(tx, emergency.record_id)
    tx.orm.refresh(emergency)
    called = tx.orm.get(CalledContact, (emergency_id, contact_id), populate_existing=True)
    if called is not None and (called.phoned_at is None or called.phoned_at < at):
        called.phoned_at = at
        publish_change(tx, "emergency.changed", emergency, record, now)


def _is_outdone(called: CalledContact, answer: ContactAnswer, given_at: datetime) -> bool:
    """Whether what the contact said before or after counts more."""
    if called.answer is None or called.answered_at is None:
        return False
    if answer is ContactAnswer.UNCLEAR:
        return True
    # The platform tells whole seconds: within one, what comes later was said later.
    return called.answer != ContactAnswer.UNCLEAR and given_at < called.answered_at.replace(microsecond=0)


def _continue_without(tx: Transaction, emergency: Emergency, called: CalledContact, now: datetime) -> None:
    """Queues the next step if this contact was being waited for, or had stopped the ladder. Who was tried is not tried
    again by the same way, and whoever was alerted last keeps the rest of her time."""
    steps = steps_of(tx, emergency.id)
    if not steps:
        return
    is_waited_for = steps[-1].contact_id == called.contact_id
    if is_waited_for and steps[-1].ended_at is None:
        end_step(tx, steps[-1].id, now)
    if is_waited_for or called.withdrew_at is not None:
        queue_escalation(tx, emergency.id, steps[-1].place + 1)


def _is_anybody_coming(tx: Transaction, emergency_id: int) -> bool:
    return any(called.answer == ContactAnswer.VOY for called in called_in(tx, emergency_id).values())


def called_by_link(
    tx: Transaction, token: str, now: datetime, timeouts: Timeouts
) -> tuple[CalledContact, Emergency, Record]:
    """Raises LinkUnknown."""
    row = tx.orm.execute(
        select(CalledContact, Emergency, Record)
        .join(Emergency, Emergency.id == CalledContact.emergency_id)
        .join(Record, Record.id == Emergency.record_id)
        .where(CalledContact.token_hash == secret_hash(split_link(token)[0]), Record.erased_at.is_(None))
    ).one_or_none()
    if row is None or not _link_is_valid(row[1], now, timeouts.link):
        raise LinkUnknown
    return row[0], row[1], row[2]


def _link_is_valid(emergency: Emergency, now: datetime, after_end: timedelta) -> bool:
    return emergency.ended_at is None or now < emergency.ended_at + after_end
