"""The progress of an alert, for whoever is with the person: what happened and when, newest first, not yet in words; and
how far it has come, in one word. Every reader's page says it in its own words (web/kit/alert_headlines.py), so that no
two of them can tell different stories."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Select, SQLColumnExpression, func, select

from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import LIVE, Emergency, Timeouts
from ficha.emergencies.quiet_time import held_until
from ficha.emergencies.statements import called_in, steps_of
from ficha.emergencies.steps import STAFF_CHANNEL, CalledRow, ContactAnswer, StepRow, StepState, is_over, stalled_since
from ficha.fmd.base import Door
from ficha.fmd.consent import visible_documents
from ficha.fmd.stored_documents import documents_of

# Why a step to staff reaches nobody: there is no team on call in the settings.
NO_TEAM = "sin_guardia"
# Why it is over: somebody at the desk has taken it up.
TAKEN_UP = "atendida"


class ProgressKind(StrEnum):
    """`tried`: queued or being sent. `not_sent`: the step failed or was skipped. `unclear`: the contact answered, but
    not whether she comes. `withdrew`: she was coming, and cannot any more. `phoned`: she called our number.
    `held_back`: another alert left lately, and the family is told at `until`. `stalled`: what should have left did not.
    `staff_has`: somebody at the desk, or of staff on the console, has taken it up."""

    OPENED = "opened"
    HELD_BACK = "held_back"
    STALLED = "stalled"
    TRIED = "tried"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    NOT_SENT = "not_sent"
    COMING = "coming"
    CANNOT_COME = "cannot_come"
    WITHDREW = "withdrew"
    UNCLEAR = "unclear"
    PHONED = "phoned"
    STAFF = "staff"
    STAFF_SENT = "staff_sent"
    STAFF_HAS = "staff_has"
    STAFF_NOT_SENT = "staff_not_sent"
    NO_STAFF = "no_staff"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    CANCELED = "canceled"


ANSWERS = {
    ContactAnswer.VOY: ProgressKind.COMING,
    ContactAnswer.NO_PUEDO: ProgressKind.CANNOT_COME,
    ContactAnswer.UNCLEAR: ProgressKind.UNCLEAR,
}
# Relation and name by the contact's id, as far as the reader may know them.
Names = Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class ProgressLine:
    """`relation` and `name` are empty where the owner hides that contact from strangers, and where there is none.
    `is_over`: the step is no longer waited for."""

    kind: ProgressKind
    at: datetime
    seconds: int
    relation: str = ""
    name: str = ""
    channel: str = ""
    contact_id: str = ""
    is_over: bool = False
    until: datetime | None = None


def select_current_emergency(record_id: int | SQLColumnExpression[int]) -> Select[Emergency]:
    """The emergency of the record that is open or acknowledged, which a new scan may join."""
    # The second says nothing new, but where tables are divided by record, in which part to look (docs/scaling.md).
    of_record = (Emergency.current_record_id == record_id, Emergency.record_id == record_id)
    return select(Emergency).where(*of_record, Emergency.state.in_(LIVE))


def current_emergency(tx: Transaction, record_id: int) -> Emergency | None:
    return tx.orm.scalars(select_current_emergency(record_id)).one_or_none()


# How long whoever is with the person is told that it is over.
END_SHOWN = timedelta(minutes=10)


def ended_lately(tx: Transaction, record_id: int, now: datetime) -> Emergency | None:
    ended_at = func.coalesce(Emergency.resolved_at, Emergency.canceled_at)
    query = select(Emergency).where(Emergency.record_id == record_id, Emergency.is_drill.is_(False))
    query = query.where(Emergency.state.not_in(LIVE), ended_at > now - END_SHOWN)
    return tx.orm.scalars(query.order_by(ended_at.desc(), Emergency.id.desc()).limit(1)).one_or_none()


def current_held_until(tx: Transaction, emergency: Emergency, now: datetime, timeouts: Timeouts) -> datetime | None:
    """When it begins to alert, if it has not begun and is held back."""
    return None if steps_of(tx, emergency.id) else held_until(tx, emergency, timeouts.quiet, now)


def progress_lines(
    tx: Transaction,
    key: bytes,
    emergency: Emergency,
    now: datetime,
    timeouts: Timeouts,
    documents: Mapping[str, Any] | None = None,
) -> list[ProgressLine]:
    """For strangers. `documents` are the record's contacts and consent, where the caller has read them already."""
    if documents is None:
        documents = documents_of(tx, emergency.record_id, key, ["emergencia", "consentimiento"])
    steps = steps_of(tx, emergency.id)
    called = called_in(tx, emergency.id).values()
    held = None if steps else held_until(tx, emergency, timeouts.quiet, now)
    return lines_from(emergency, steps, called, shown_contacts(documents), now, held)


def lines_from(
    emergency: Emergency,
    steps: Sequence[StepRow],
    called: Iterable[CalledRow],
    names: Names,
    now: datetime,
    held: datetime | None = None,
) -> list[ProgressLine]:
    """From the rows of an emergency, for whoever may know these names. `held`: when it begins to alert, if later."""

    def line(kind: ProgressKind, at: datetime, contact_id: str | None = None, **more: Any) -> ProgressLine:
        relation, name = names.get(contact_id or "", ("", ""))
        seconds = max(0, int((now - at).total_seconds()))
        return ProgressLine(kind, at, seconds, relation, name, contact_id=contact_id or "", **more)

    lines = [line(ProgressKind.OPENED, emergency.opened_at)]
    if held is not None:
        lines.append(line(ProgressKind.HELD_BACK, emergency.opened_at, until=held))
    everybody = list(called)
    stalled = stalled_since(emergency, steps, everybody, now) if held is None else None
    if stalled is not None:
        lines.append(line(ProgressKind.STALLED, stalled))
    withdrawn = [each for each in everybody if each.withdrew_at is not None]
    # Before the steps: whoever is alerted at that moment is alerted because of it.
    lines += [line(ProgressKind.WITHDREW, each.answered_at or now, each.contact_id) for each in withdrawn]
    for step in steps:
        kind, at = _step_progress(step)
        channel = "" if step.channel == STAFF_CHANNEL else step.channel
        is_past = is_over(step) or (step.due_at is not None and step.due_at <= now)
        # Platforms cut what they tell to whole seconds: nothing came of a step before it was taken.
        at = max(at, step.started_at)
        lines.append(line(kind, at, step.contact_id, channel=channel, is_over=is_past))
    for each in everybody:
        if each.answer is not None and each.answered_at is not None and each.withdrew_at is None:
            answered_at = max(each.answered_at, each.called_at)
            lines.append(line(ANSWERS[ContactAnswer(each.answer)], answered_at, each.contact_id))
        if each.phoned_at is not None:
            lines.append(line(ProgressKind.PHONED, each.phoned_at, each.contact_id))
    lines += [line(kind, at) for kind, at in _end_progress(emergency)]
    # Sorting is stable: lines of the same moment stay in the order in which they must have happened.
    return sorted(lines, key=lambda line: line.at)[::-1]


def shown_contacts(documents: Mapping[str, Any], door: Door = Door.R) -> Names:
    """Relation and name by the contact's id, of those whom the owner shows to this door: to strangers by default."""
    visible = contacts_in(visible_documents(documents, door).get("emergencia"))
    return {contact.id: (contact.relacion, contact.nombre) for contact in visible}


def _step_progress(step: StepRow) -> tuple[ProgressKind, datetime]:
    if step.channel == STAFF_CHANNEL:
        return _staff_progress(step)
    match StepState(step.state):
        case StepState.READ:
            return ProgressKind.READ, step.read_at or step.started_at
        case StepState.DELIVERED:
            return ProgressKind.DELIVERED, step.delivered_at or step.started_at
        case StepState.ACCEPTED | StepState.SENT:
            return ProgressKind.SENT, step.sent_at or step.started_at
        case StepState.FAILED | StepState.SKIPPED:
            return ProgressKind.NOT_SENT, step.ended_at or step.started_at
        case _:
            return ProgressKind.TRIED, step.started_at


def _staff_progress(step: StepRow) -> tuple[ProgressKind, datetime]:
    if step.reason == NO_TEAM:
        return ProgressKind.NO_STAFF, step.started_at
    if step.reason == TAKEN_UP:
        return ProgressKind.STAFF_HAS, step.read_at or step.started_at
    if step.sent_at is not None or step.delivered_at is not None:
        return ProgressKind.STAFF_SENT, step.sent_at or step.delivered_at or step.started_at
    if step.state == StepState.FAILED:
        return ProgressKind.STAFF_NOT_SENT, step.ended_at or step.started_at
    return ProgressKind.STAFF, step.started_at


def _end_progress(emergency: Emergency) -> list[tuple[ProgressKind, datetime]]:
    """What was done to the emergency itself. An acknowledgement by a contact has a line as their answer."""
    by_contact = (emergency.acknowledged_by or "").startswith("contact:")
    ends = [
        (ProgressKind.STAFF_HAS, emergency.taken_at),
        (ProgressKind.ACKNOWLEDGED, None if by_contact else emergency.acknowledged_at),
        (ProgressKind.RESOLVED, emergency.resolved_at),
        (ProgressKind.CANCELED, emergency.canceled_at),
    ]
    return [(kind, at) for kind, at in ends if at is not None]


class AlertState(StrEnum):
    """The value says what must be so; it stands in docs/alert-states.md."""

    CANCELED = "it was a false alarm"
    RESOLVED = "it is over"
    COMING = "a contact said that she comes"
    ACKNOWLEDGED = "the owner or who may change the record said that somebody goes"
    WITHDREW = "a contact who was coming cannot any more; the ladder goes on"
    UNCLEAR = "a contact answered something unclear"
    READ = "a contact read the alert"
    DELIVERED = "a contact's phone has the alert"
    STAFF_HAS = "somebody at the desk has taken it up"
    STAFF_SENT = "a server, or the desk, has what the team on call is sent"
    HELD_BACK = "another alert of the record left lately"
    STALLED = "what should have left a minute ago did not: no worker runs, or the platform does not answer"
    ALERTING = "an alert to a contact is queued, or sent and waited for"
    ALERTING_STAFF = "what goes to the team on call is queued"
    CANNOT_COME = "whoever answered cannot come; the ladder goes on"
    NOT_REACHED_YET = "what was tried failed; the ladder goes on"
    NEXT_STEP = "the first step, or the next one, is about to be taken"
    NOBODY_COMES = "whoever answered cannot come, and nobody is left"
    NOBODY_ANSWERED = "something was sent, nobody answered, and nobody is left"
    NOBODY_REACHED = "nothing could be sent, and nobody is left"


class StandingState(NamedTuple):
    """`line` is the line that it follows from, with its contact and times."""

    state: AlertState
    line: ProgressLine | None


# In each group the newest counts, and an earlier group outdoes a later one.
STANDING = (
    {ProgressKind.CANCELED: AlertState.CANCELED, ProgressKind.RESOLVED: AlertState.RESOLVED},
    {ProgressKind.COMING: AlertState.COMING},
    {ProgressKind.ACKNOWLEDGED: AlertState.ACKNOWLEDGED},
    {
        ProgressKind.WITHDREW: AlertState.WITHDREW,
        ProgressKind.UNCLEAR: AlertState.UNCLEAR,
        ProgressKind.READ: AlertState.READ,
        ProgressKind.DELIVERED: AlertState.DELIVERED,
        ProgressKind.STAFF_HAS: AlertState.STAFF_HAS,
        ProgressKind.STAFF_SENT: AlertState.STAFF_SENT,
    },
    {ProgressKind.HELD_BACK: AlertState.HELD_BACK},
    {ProgressKind.STALLED: AlertState.STALLED},
)
UNDER_WAY = {
    ProgressKind.TRIED: AlertState.ALERTING,
    ProgressKind.SENT: AlertState.ALERTING,
    ProgressKind.STAFF: AlertState.ALERTING_STAFF,
}
OF_STEP = (ProgressKind.TRIED, ProgressKind.SENT, ProgressKind.DELIVERED, ProgressKind.READ)
CANNOT = (ProgressKind.CANNOT_COME, ProgressKind.WITHDREW)
LADDER_ENDED = (ProgressKind.NO_STAFF, ProgressKind.STAFF_NOT_SENT)
# Whatever was withdrawn, nothing goes on after it.
NOTHING_FOLLOWS = (*LADDER_ENDED, ProgressKind.STALLED)


def alert_state(lines: Sequence[ProgressLine]) -> StandingState:
    """`lines` are the newest first. That somebody got the alert no longer counts once she said that she cannot come."""
    cannot = [line for line in lines if line.kind in CANNOT]
    gone = {line.contact_id for line in cannot}
    left = [line for line in lines if line.kind not in OF_STEP or line.contact_id not in gone]
    if any(line.kind in NOTHING_FOLLOWS for line in lines):
        left = [line for line in left if line.kind is not ProgressKind.WITHDREW]
    for group in STANDING:
        for line in left:
            if line.kind in group:
                return StandingState(group[line.kind], line)
    for line in left:
        if line.kind in UNDER_WAY and not line.is_over:
            return StandingState(UNDER_WAY[line.kind], line)
    state = _unreached({line.kind for line in left}, bool(cannot))
    is_answer = state in (AlertState.CANNOT_COME, AlertState.NOBODY_COMES)
    return StandingState(state, cannot[0] if is_answer else None)


def _unreached(kinds: Collection[ProgressKind], cannot: bool) -> AlertState:
    """Nobody has the alert whom anything is expected of, and no step is waited for."""
    is_sent = any(kind in UNDER_WAY for kind in kinds)
    if not any(kind in LADDER_ENDED for kind in kinds):
        if cannot:
            return AlertState.CANNOT_COME
        has_failed = ProgressKind.NOT_SENT in kinds and not is_sent
        return AlertState.NOT_REACHED_YET if has_failed else AlertState.NEXT_STEP
    if cannot:
        return AlertState.NOBODY_COMES
    return AlertState.NOBODY_ANSWERED if is_sent else AlertState.NOBODY_REACHED
