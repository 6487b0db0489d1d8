"""What comes back from an alert: news of how far it has come, and what people answer.

Both arrive in transactions that hold messages. So they touch no more than the step of that message, and put aside
what needs the record's row: two who wait for each other in a circle would both be late.
"""

import re
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.emergencies.emergency import LIVE, Emergency
from ficha.emergencies.emergency_events import publish_change
from ficha.emergencies.opening import queue_escalation
from ficha.emergencies.steps import ContactAnswer, Step, StepState
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.records import Record
from ficha.fmd.spelling import folded
from ficha.jobs.queue import put
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, ReceivedMessage

ANSWER = "emergencia.respuesta"
ABOUT = "emergencia:"
# News of the platform in a thread: nobody wrote, so nobody has heard.
NOBODY_WROTE = ("system", "request_welcome")
PAYLOAD = re.compile(r"^(voy|no_puedo):([0-9]{1,18}):([A-Za-z0-9#]{1,8})$")
# Said by itself, or at the beginning of more. Everything else means that somebody has heard.
NO = re.compile(
    r"^(no|nao|nop|nope|imposible|impossible|impossivel)$"
    r"|^(no puedo|no podre|no voy|no estoy|nao posso|nao vou|i cannot|i can ?t|cannot|can ?t|i won ?t|sorry i can ?t)\b"
)


def on_change(session: Session, message: Message, now: datetime) -> None:
    """A message of ours has news: its step shows them, and one that failed lets the ladder go on at once."""
    if not message.about.startswith(ABOUT):
        return
    step = session.scalars(select(Step).where(Step.message_id == message.id).with_for_update()).one_or_none()
    if step is None:
        return
    step.provider_id = message.provider_id or step.provider_id
    if message.replaced_by is not None and message.state == MessageState.FAILED:
        step.message_id = message.replaced_by  # Another goes in its place, and its news count from now on.
        return
    step.state = StepState(message.state)
    step.sent_at = message.sent_at or message.accepted_at
    step.delivered_at, step.read_at = message.delivered_at, message.read_at
    if step.state == StepState.FAILED:
        step.ended_at = step.ended_at or now
        step.reason = message.error
        queue_escalation(session, step.emergency_id, step.place + 1)
    emergency = session.get_one(Emergency, step.emergency_id)
    record = session.get_one(Record, emergency.record_id)
    publish_change(
        session,
        "emergency.changed",
        emergency,
        record,
        now,
        step=step.place,
        channel=step.channel,
        step_state=step.state,
    )


def on_reply(session: Session, reply: ReceivedMessage, timeouts: Timeouts) -> bool:
    """Whether this answers an alert. A button says which; any other message of somebody who was alerted lately is
    an answer too: they have heard."""
    if reply.message.type in NOBODY_WROTE:
        return False
    step, said = _answered(session, reply, timeouts)
    if step is None or step.contact_id is None:
        return False
    how = "button" if reply.payload and PAYLOAD.match(reply.payload) else "reply"
    payload = {
        "emergency_id": step.emergency_id,
        "contact_id": step.contact_id,
        "answer": said,
        "how": how,
        "at": reply.now.isoformat(),
    }
    put(session, ANSWER, payload, key=f"{ANSWER}:{reply.message.id}", urgent=True)
    return True


def said_in(words: str | None) -> ContactAnswer:
    plain = re.sub(r"[^a-z0-9]+", " ", folded(words or "")).strip()
    return ContactAnswer.NO_PUEDO if NO.match(plain) else ContactAnswer.VOY


def _answered(session: Session, reply: ReceivedMessage, timeouts: Timeouts) -> tuple[Step | None, ContactAnswer]:
    pressed = PAYLOAD.match(reply.payload) if reply.payload else None
    # What was said in this very thread: a payload alone proves nothing.
    theirs = (
        select(Step)
        .join(Message, Message.id == Step.message_id)
        .join(Emergency, Emergency.id == Step.emergency_id)
        .where(Message.thread_id == reply.thread.id, Emergency.state.in_(LIVE))
        .order_by(Step.id.desc())
        .limit(1)
    )
    if pressed is not None:
        answer, emergency_id, contact_id = pressed.groups()
        ours = theirs.where(Step.emergency_id == int(emergency_id), Step.contact_id == contact_id)
        return session.scalars(ours).one_or_none(), ContactAnswer(answer)
    if reply.answers is not None:
        about = reply.answers.about.startswith(ABOUT)
        ours = theirs.where(Step.message_id == reply.answers.id)
        return (session.scalars(ours).one_or_none() if about else None), said_in(reply.words)
    lately = theirs.where(Step.started_at > reply.now - timeouts.reply)
    return session.scalars(lately).one_or_none(), said_in(reply.words)
