"""What messaging calls for the messages of alerts: when one changes its state, and when a contact writes back.

Both are called in transactions that have locked messages. So they change no more than the step of that message, and
queue a job for what needs the lock on the record: locking both here would make deadlocks.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Row, select

from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import TAKEN_UP
from ficha.emergencies.answer_words import DECLINING, Meaning, meaning_of
from ficha.emergencies.emergency import ABOUT, Emergency, Timeouts
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.relay_lines import queue_relay
from ficha.emergencies.statements import forget_alert, live_steps, recent_alerts, save_step, step_of_message
from ficha.emergencies.steps import STAFF_CHANNEL, ContactAnswer, Step, StepRow, StepState, step_name
from ficha.jobs.queue import put
from ficha.messaging.messages import ReceivedMessage
from ficha.messaging.tables import Message, MessageRow, MessageState, Thread

ANSWER = "emergencia.respuesta"
CALL = "emergencia.llamada"
STEP_NAME = re.compile(r"^emergencia:([0-9]{1,18}):([0-9]{1,9})$")
PAYLOAD = re.compile(r"^(voy|no_puedo):([0-9]{1,18}):([A-Za-z0-9#]{1,8})$")
# Nobody wrote these, or they say nothing: the platform's own, a reaction, something taken back, something not shown.
NO_ANSWER = ("system", "request_welcome", "reaction", "revoke", "unsupported", "unknown")
EDIT = "edit"
ANSWERS = {
    Meaning.COMING: ContactAnswer.VOY,
    Meaning.CANNOT: ContactAnswer.NO_PUEDO,
    Meaning.WRONG_NUMBER: ContactAnswer.NO_PUEDO,
    Meaning.NO_MORE_ALERTS: ContactAnswer.NO_PUEDO,
    Meaning.UNCLEAR: ContactAnswer.UNCLEAR,
}


class FoundAnswer(NamedTuple):
    step: Step
    answer: ContactAnswer
    how: str = "reply"
    is_refused: bool = False


def on_change(tx: Transaction, message: MessageRow, now: datetime) -> None:
    """Copies the state of an alert's message to its step. One that failed lets the ladder go on at once."""
    if not message.about.startswith(ABOUT):
        return
    found = step_of_message(tx, message.id)
    if found is None:
        queue_relay(tx, int(message.about.split(":")[1]))  # The next line may follow this one.
        return
    step, emergency, record, has_relay = found
    step = step._replace(provider_id=message.provider_id or step.provider_id)
    if message.replaced_by is not None and message.state == MessageState.FAILED:
        # Another message replaces it, and its states count from now on.
        save_step(tx, step._replace(message_id=message.replaced_by))
        return
    is_staff, has_failed = step.channel == STAFF_CHANNEL, message.state == MessageState.FAILED
    changed = _staff_step(step, message, now) if is_staff else _contact_step(step, message, now)
    if changed is None:
        return
    save_step(tx, changed)
    if has_failed and not is_staff:
        forget_alert(tx, step)
        queue_escalation(tx, emergency.id, step.place + 1)
    elif has_relay and not is_staff:
        queue_relay(tx, emergency.id)
    news: dict[str, str | int | bool] = {"step": step.place, "channel": step.channel, "step_state": changed.state}
    publish_change(tx, "emergency.changed", emergency, record, now, **news)


def _contact_step(step: StepRow, message: MessageRow, now: datetime) -> StepRow:
    has_failed = message.state == MessageState.FAILED
    return step._replace(
        state=str(StepState(message.state)),
        sent_at=message.sent_at or message.accepted_at,
        delivered_at=message.delivered_at,
        read_at=message.read_at,
        ended_at=step.ended_at or now if has_failed else step.ended_at,
        reason=message.error if has_failed else None,
    )


def _staff_step(step: StepRow, message: MessageRow, now: datetime) -> StepRow | None:
    """The message to the team on call is one way of several: what another one brought, or the desk took up, stands."""
    state = StepState(message.state)
    has_failed = state is StepState.FAILED
    is_told = step.sent_at is not None or step.delivered_at is not None
    if step.reason == TAKEN_UP or (is_told and state not in (StepState.SENT, StepState.DELIVERED, StepState.READ)):
        return None
    if step.delivered_at is not None and state is StepState.SENT:
        state = StepState.DELIVERED
    return step._replace(
        state=str(state),
        sent_at=step.sent_at or message.sent_at,
        delivered_at=message.delivered_at or step.delivered_at,
        read_at=message.read_at,
        ended_at=now if has_failed else None,
        reason=message.error if has_failed else None,
    )


def on_reply(tx: Transaction, reply: ReceivedMessage, timeouts: Timeouts) -> bool:
    """True if it answers an alert; the answer is queued then. A button names the alert; any other message that
    somebody wrote after the alert reached the platform is an answer too, though perhaps an unclear one."""
    found = _find_answer(tx, reply, timeouts)
    if found is None or found.step.contact_id is None:
        return False
    step = found.step
    emergency = tx.orm.get_one(Emergency, step.emergency_id)
    reply.message.about, reply.message.record_id = step_name(step), emergency.record_id
    payload = {
        "emergency_id": step.emergency_id,
        "contact_id": step.contact_id,
        "answer": found.answer,
        "how": found.how,
        "at": reply.message.at.isoformat(),
        "message_id": reply.message.id,
        "is_refused": found.is_refused,
    }
    put(tx, ANSWER, payload, key=f"{ANSWER}:{reply.message.id}", urgent=True)
    return True


def on_call(tx: Transaction, thread: Thread, at: datetime, now: datetime, timeouts: Timeouts) -> None:
    """Somebody who was alerted called our number after it. Nobody hears what she says, so it answers nothing."""
    recent = _recent_alerts(tx, thread, now - timeouts.reply)
    step = next((step for step, alert in recent if _reached_before(alert, at)), None)
    if step is not None:
        payload = {"emergency_id": step.emergency_id, "contact_id": step.contact_id, "at": at.isoformat()}
        put(tx, CALL, payload, key=f"{CALL}:{step.id}:{int(at.timestamp())}", urgent=True)


def _find_answer(tx: Transaction, reply: ReceivedMessage, timeouts: Timeouts) -> FoundAnswer | None:
    kind = reply.message.type
    # An interactive message without words or payload is a permission to call, or its withdrawal.
    if kind in NO_ANSWER or (kind == "interactive" and reply.words is None and reply.payload is None):
        return None
    if kind == EDIT:
        return _edited_answer(tx, reply)
    if reply.payload and (pressed := PAYLOAD.match(reply.payload)):
        answer, emergency_id, contact_id = pressed.groups()
        named = live_steps().where(Step.emergency_id == int(emergency_id), Step.contact_id == contact_id)
        steps = [step for step, message in tx.orm.execute(named) if _was_sent_to(reply, step, message)]
        return FoundAnswer(steps[0], ContactAnswer(answer), "button") if steps else None
    step = _step_answered(tx, reply, timeouts)
    if step is None:
        return None
    meaning = meaning_of(reply.words)
    if _was_changed(tx, reply):
        meaning = Meaning.UNCLEAR
    return FoundAnswer(step, ANSWERS[meaning], is_refused=meaning in DECLINING)


def _step_answered(tx: Transaction, reply: ReceivedMessage, timeouts: Timeouts) -> Step | None:
    """The alert that was quoted, in whatever thread; else the last one in this thread. Only what was written after it
    reached the platform answers it."""
    if reply.answers is not None:
        named = STEP_NAME.match(reply.answers.about)
        if named is None:
            return None
        asked = live_steps().where(Step.emergency_id == int(named[1]), Step.place == int(named[2]))
        found = tx.orm.execute(asked).all()
    else:
        found = _recent_alerts(tx, reply.thread, reply.now - timeouts.reply)
    return next((step for step, message in found if _is_after(reply, message)), None)


def _recent_alerts(tx: Transaction, thread: Thread, since: datetime) -> Sequence[Row[Step, Message]]:
    ids = recent_alerts(tx, thread.id, since)
    return tx.orm.execute(live_steps().where(Step.id.in_(ids))).all() if ids else []


def _edited_answer(tx: Transaction, reply: ReceivedMessage) -> FoundAnswer | None:
    """An edit never says that somebody comes. Of an answer that counted, it can say that she cannot after all."""
    original = tx.orm.scalars(
        select(Message).where(Message.provider_id == reply.edits, Message.thread_id == reply.thread.id)
    ).one_or_none()
    named = STEP_NAME.match(original.about) if original is not None and not original.is_ours else None
    if named is None:
        return None
    asked = live_steps().where(Step.emergency_id == int(named[1]), Step.place == int(named[2]))
    row = tx.orm.execute(asked).first()
    if row is None or not _is_after(reply, row[1]):
        return None
    answer = ANSWERS[meaning_of(reply.words)]
    return FoundAnswer(row[0], ContactAnswer.UNCLEAR if answer is ContactAnswer.VOY else answer)


def _was_sent_to(reply: ReceivedMessage, step: Step, message: Message) -> bool:
    """Anybody could send a payload: it counts in the alert's own thread, or where the platform says that it is a reply
    to that alert."""
    is_quoted = reply.answers is not None and reply.answers.about == step_name(step)
    return is_quoted or message.thread_id == reply.thread.id


def _is_after(reply: ReceivedMessage, alert: Message) -> bool:
    return _reached_before(alert, reply.message.at)


def _reached_before(alert: Message, at: datetime) -> bool:
    """Whether the platform had the alert at that time, which is in whole seconds."""
    reached_at = alert.accepted_at or alert.sent_at or alert.delivered_at or alert.read_at or alert.in_doubt_at
    return reached_at is not None and at >= reached_at.replace(microsecond=0)


def _was_changed(tx: Transaction, reply: ReceivedMessage) -> bool:
    """Whether it was edited or taken back, and that came before it."""
    change = select(Message.id).where(
        Message.thread_id == reply.thread.id,
        Message.reply_to == reply.message.provider_id,
        Message.type.in_((EDIT, "revoke")),
    )
    return tx.orm.scalar(change.limit(1)) is not None
