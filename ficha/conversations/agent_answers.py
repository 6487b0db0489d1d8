"""What agents write, on its way to the people, each message once and in order. Every one ends as sent, with its state
written back, or as failed with a reason that the agent reads at her message: none is dropped in silence."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ficha.channels.chatwoot.desk import Desk, DeskRefused
from ficha.channels.errors import BadContent
from ficha.channels.messages import Outgoing, Text
from ficha.channels.whatsapp import known_error
from ficha.channels.whatsapp.message_bodies import message_body
from ficha.conversations.bridge_jobs import ABOUT, put_refusal
from ficha.conversations.desk_conversations import LEASE, DeskConversation
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.log import log
from ficha.jobs.kinds import Job
from ficha.messaging.failures import ERROR_SENTENCES, FALLBACK, PENDING_LENGTH, one_line
from ficha.messaging.handled_messages import mark_thread_handled
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import ContactStopped, Message, queue_message
from ficha.messaging.threads import Thread

# The platform's number for messages to the contact.
OUTGOING = 1
STATES = {
    MessageState.SENT: "sent",
    MessageState.DELIVERED: "delivered",
    MessageState.READ: "read",
    MessageState.FAILED: "failed",
}
# Why a message is not sent.
OF_EMERGENCY = (
    "No se envió a nadie: esta es la conversación de la emergencia, no la de una persona. Quedó anotado que usted la "
    "atiende."
)
JOINED = "No se envió: esta conversación se unió a otra de la misma persona. Escriba en la otra."
ERASED = "No se envió: la persona borró sus datos, y su número con ellos."
EMPTY = "No se envió: el mensaje está vacío."
STOPPED = f"No se envió: {ContactStopped.message}"
CUT = (
    "No se envió: pasaron más de 24 horas desde su último mensaje, y ahora solo cabe un texto de hasta {most} "
    "caracteres; este tiene {length}. Acórtelo o divídalo."
)

# What happened to the conversation of an emergency: it is PLACED, an agent "answered", or it is "resolved".
AgentHook = Callable[[Session, int, str, datetime], None]


@dataclass(frozen=True)
class AgentAnswers:
    database: Database
    keyring: Keyring
    clock: Clock
    desk: Desk
    on_agent: AgentHook

    def pass_on_new(self, row_id: int, conversation_id: int, read_id: int) -> bool:
        """Whether all of it was passed on."""
        while found := self.desk.messages_after(conversation_id, read_id):
            for message in found:
                with self.database.writing() as session:
                    row = session.get_one(DeskConversation, row_id)
                    if not self._pass_on(session, row, message):
                        return False  # The one before is still under way; its next state brings us back.
                    row.read_id = read_id = int(message["id"])
                    row.busy_until = self.clock.now() + LEASE
        return True

    def write_state(self, job: Job) -> None:
        """The newest state, so that the order of these jobs does not matter. A template that went in the place of a
        message after the 24 hours tells how far that message has come."""
        self.desk.check_awake()
        with self.database.reading() as session:
            message = session.get(Message, int(job.payload["message_id"]))
            if message is None or not message.about.startswith(ABOUT) or message.replaced_by is not None:
                return
            once = _asked_for(session, message)
            row = session.get(DeskConversation, int(message.about.removeprefix(ABOUT)))
            state = STATES.get(MessageState(message.state))
        if row is None or once is None or state is None:
            return
        source_id, _, number = once.removeprefix(ABOUT).rpartition(":")
        self._write(row, source_id, int(number), state, _why(message) if state == "failed" else None)

    def write_refusal(self, job: Job) -> None:
        """Doing it twice changes nothing."""
        self.desk.check_awake()
        given = job.payload
        with self.database.reading() as session:
            row = session.get(DeskConversation, int(given["id"]))
        if row is not None:
            self._write(row, given["source_id"], int(given["message_id"]), "failed", given["reason"])

    def _write(self, row: DeskConversation, source_id: str, number: int, state: str, why: str | None) -> None:
        # An answer to what was said before the platform was made anew has no place there.
        if row.conversation_id is None or source_id not in ("", row.source_id):
            return
        try:
            self.desk.write_state(row.conversation_id, number, state, why)
        except DeskRefused as refusal:
            log().warning("chatwoot.state_refused", row_id=row.id, status=refusal.code)

    def _pass_on(self, session: Session, row: DeskConversation, message: dict[str, Any]) -> bool:
        """Sends an agent's answer to the person, or says why not; False if it must wait. Only what a user of the desk
        wrote to the contact leaves: no note, nothing that came from us, so nothing can go round in a circle."""
        sender = message.get("sender") or {}
        is_answer = message.get("message_type") == OUTGOING and message.get("private") is False
        if not is_answer or sender.get("type") != "user" or message.get("source_id"):
            return True
        now, number = self.clock.now(), int(message["id"])
        if row.emergency_id is not None:
            self.on_agent(session, row.emergency_id, "answered", now)
            put_refusal(session, row, number, OF_EMERGENCY)
            return True
        if _is_under_way(session, row.reply_id):
            return False
        thread = None if row.thread_id is None else session.get(Thread, row.thread_id)
        content = Text(str(message.get("content") or ""))
        obstacle = _obstacle(thread, content, now)
        if thread is None or obstacle is not None:
            put_refusal(session, row, number, obstacle or JOINED)
            return True
        try:
            sent = queue_message(
                session,
                self.keyring,
                thread.phone_number_id,
                thread.address,
                content,
                now,
                once=f"{ABOUT}{row.source_id}:{number}",
                about=f"{ABOUT}{row.id}",
            )
        except ContactStopped:
            put_refusal(session, row, number, STOPPED)
            return True
        row.reply_id = sent.id
        mark_thread_handled(session, thread, now)
        return True


def _obstacle(thread: Thread | None, content: Text, now: datetime) -> str | None:
    """Why this cannot be sent to the person of this thread, for the agent."""
    if thread is None or not thread.address:
        return JOINED if thread is None else ERASED
    if thread.stopped_at is not None:
        return STOPPED
    length = len(one_line(content.body))
    if not length:
        return EMPTY
    if not thread.is_open(now) and length > PENDING_LENGTH:
        return CUT.format(most=PENDING_LENGTH, length=length)
    try:
        message_body(Outgoing(thread.address, content, "x"))
    except BadContent as fault:
        return f"No se envió: {fault.sentence}"
    return None


def _is_under_way(session: Session, message_id: int | None) -> bool:
    """Whether the platform may still get it: itself, or the template in its place."""
    message = None if message_id is None else session.get(Message, message_id)
    while message is not None and message.replaced_by is not None:
        message = session.get(Message, message.replaced_by)
    return message is not None and message.state == MessageState.QUEUED


def _asked_for(session: Session, message: Message) -> str | None:
    """The name of the answer that an agent asked for, which this is or replaces."""
    asked: Message | None = message
    while asked is not None and (asked.once or "").startswith(FALLBACK):
        asked = session.get(Message, int((asked.once or "").removeprefix(FALLBACK)))
    return None if asked is None else asked.once


def _why(message: Message) -> str:
    known = None if message.error_code is None else known_error(message.error_code)
    return known.meaning if known else ERROR_SENTENCES.get(message.error or "", ERROR_SENTENCES["rechazado"])
