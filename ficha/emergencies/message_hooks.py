"""What messaging calls for the messages of alerts: when one changes its state, and when a contact writes back.

Both are called in transactions that have locked messages. So they change no more than the step of that message, and
queue a job for what needs the lock on the record: locking both here would make deadlocks.
"""

import re
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.emergencies.alert_targets import forget_alert
from ficha.emergencies.emergency import LIVE, Emergency
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.step_rows import note_progress, replace_message, step_of_message
from ficha.emergencies.steps import ContactAnswer, Step, StepState
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.spelling import folded
from ficha.jobs.queue import put
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, MessageProgress, ReceivedMessage

ANSWER = "emergencia.respuesta"
ABOUT = "emergencia:"
# Messages that the platform writes into a thread by itself: they are no answer.
NOBODY_WROTE = ("system", "request_welcome")
PAYLOAD = re.compile(r"^(voy|no_puedo):([0-9]{1,18}):([A-Za-z0-9#]{1,8})$")
# These words alone, or at the beginning of a message. Every other message means that the contact comes.
NO = re.compile(
    r"^(no|nao|nop|nope|imposible|impossible|impossivel)$"
    r"|^(no puedo|no podre|no voy|no estoy|nao posso|nao vou|i cannot|i can ?t|cannot|can ?t|i won ?t|sorry i can ?t)\b"
)


def on_change(session: Session, message: Message | MessageProgress, now: datetime) -> None:
    """Copies the state of an alert's message to its step. One that failed lets the ladder go on at once."""
    if not message.about.startswith(ABOUT):
        return
    step = step_of_message(session, message.id)
    if step is None:
        return
    provider_id = message.provider_id or step.provider_id
    if message.replaced_by is not None and message.state == MessageState.FAILED:
        # Another message replaces it, and its states count from now on.
        replace_message(session, step.id, message.replaced_by, provider_id)
        return
    state = StepState(message.state)
    has_failed = state is StepState.FAILED
    note_progress(
        session,
        step=step.id,
        its_provider_id=provider_id,
        its_state=str(state),
        its_sent_at=message.sent_at or message.accepted_at,
        its_delivered_at=message.delivered_at,
        its_read_at=message.read_at,
        its_ended_at=step.ended_at or now if has_failed else step.ended_at,
        its_reason=message.error if has_failed else step.reason,
    )
    if has_failed:
        forget_alert(session, step)
        queue_escalation(session, step.emergency.id, step.place + 1)
    publish_change(
        session,
        "emergency.changed",
        step.emergency,
        step.record,
        now,
        step=step.place,
        channel=step.channel,
        step_state=str(state),
    )


def on_reply(session: Session, reply: ReceivedMessage, timeouts: Timeouts) -> bool:
    """True if it answers an alert; the answer is queued then. A button names the alert; any other message of somebody
    who was alerted lately is an answer too."""
    if reply.message.type in NOBODY_WROTE:
        return False
    step, answer = _find_answer(session, reply, timeouts)
    if step is None or step.contact_id is None:
        return False
    emergency = session.get_one(Emergency, step.emergency_id)
    reply.message.about, reply.message.record_id = step.name, emergency.record_id
    how = "button" if reply.payload and PAYLOAD.match(reply.payload) else "reply"
    payload = {
        "emergency_id": step.emergency_id,
        "contact_id": step.contact_id,
        "answer": answer,
        "how": how,
        "at": reply.now.isoformat(),
    }
    put(session, ANSWER, payload, key=f"{ANSWER}:{reply.message.id}", urgent=True)
    return True


def answer_in(words: str | None) -> ContactAnswer:
    plain = re.sub(r"[^a-z0-9]+", " ", folded(words or "")).strip()
    return ContactAnswer.NO_PUEDO if NO.match(plain) else ContactAnswer.VOY


def _find_answer(session: Session, reply: ReceivedMessage, timeouts: Timeouts) -> tuple[Step | None, ContactAnswer]:
    pressed = PAYLOAD.match(reply.payload) if reply.payload else None
    # Only alerts that were sent in this thread: anybody could send a payload.
    in_thread = (
        select(Step)
        .join(Message, Message.id == Step.message_id)
        .join(Emergency, Emergency.id == Step.emergency_id)
        .where(Message.thread_id == reply.thread.id, Emergency.state.in_(LIVE))
        .order_by(Step.id.desc())
        .limit(1)
    )
    if pressed is not None:
        answer, emergency_id, contact_id = pressed.groups()
        named = in_thread.where(Step.emergency_id == int(emergency_id), Step.contact_id == contact_id)
        return session.scalars(named).one_or_none(), ContactAnswer(answer)
    if reply.answers is not None:
        about = reply.answers.about.startswith(ABOUT)
        named = in_thread.where(Step.message_id == reply.answers.id)
        return (session.scalars(named).one_or_none() if about else None), answer_in(reply.words)
    recent = in_thread.where(Step.started_at > reply.now - timeouts.reply)
    return session.scalars(recent).one_or_none(), answer_in(reply.words)
