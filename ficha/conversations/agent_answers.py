"""What agents write, on its way to the people, each message once and in order. Every one ends as sent, with its state
written back, or as failed with a reason that the agent reads at her message: none is dropped in silence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, cast

from ficha.channels.chatwoot.help_desk import DeskRefused, FileNotFetched, HelpDesk
from ficha.channels.errors import BadContent, Refused
from ficha.channels.job_services import JobServices
from ficha.channels.messages import Media, Outgoing, Text
from ficha.channels.messenger import Messenger
from ficha.channels.whatsapp.media import check_file
from ficha.channels.whatsapp.message_bodies import CAPTIONED, message_body
from ficha.conversations.answer_parts import FILE_LATE, AnswerFile, AnswerPart, is_under_way, outcome_of, parts_of
from ficha.conversations.desk_conversations import ABOUT, FILE_LEASE, LEASE, DeskConversation, put_refusal
from ficha.conversations.message_words import LARGEST_FILE
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job
from ficha.messaging.failures import PENDING_LENGTH, one_line
from ficha.messaging.file_transfers import StoredFileReader
from ficha.messaging.messages import ContactStopped, mark_thread_handled, queue_message
from ficha.messaging.statements import message_queued_for
from ficha.messaging.tables import Message, MessageState, Thread
from ficha.messaging.threads import address_of, is_open

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
EMPTY = "el mensaje está vacío."
STOPPED = f"No se envió: {ContactStopped.message}"
CUT = (
    "pasaron más de 24 horas desde su último mensaje, y ahora solo cabe un texto de hasta {most} caracteres; "
    "este tiene {length}. Acórtelo o divídalo."
)

# What happened to the conversation of an emergency: it is PLACED, an agent "answered", or it is "resolved".
AgentHook = Callable[[Transaction, int, str, datetime], None]


@dataclass(frozen=True)
class AgentAnswers:
    services: JobServices
    desk: HelpDesk
    messenger: Messenger
    on_agent: AgentHook

    def pass_on_new(self, row_id: int, conversation_id: int, read_id: int) -> bool:
        """Whether all of it was passed on."""
        while found := self.desk.messages_after(conversation_id, read_id):
            for message in found:
                if not self._pass_on(row_id, message):
                    return False  # The one before is still under way; its next state brings us back.
                read_id = int(message["id"])
        return True

    def write_state(self, job: Job) -> None:
        """The newest state, so that the order of these jobs does not matter. A template that went in the place of a
        message after the 24 hours tells how far that message has come."""
        self.desk.check_awake()
        with self.services.database.reading() as tx:
            message = tx.orm.get(Message, int(job.payload["message_id"]))
            if message is None or not message.about.startswith(ABOUT):
                return
            row = tx.orm.get(DeskConversation, int(message.about.removeprefix(ABOUT)))
            outcome = outcome_of(tx, message)
        if row is not None and outcome is not None and (state := STATES.get(outcome[1])) is not None:
            name, _, why = outcome
            self._write(row, name.source_id, name.number, state, why)

    def write_refusal(self, job: Job) -> None:
        """Doing it twice changes nothing."""
        self.desk.check_awake()
        given = job.payload
        with self.services.database.reading() as tx:
            row = tx.orm.get(DeskConversation, int(given["id"]))
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

    def _pass_on(self, row_id: int, message: dict[str, Any]) -> bool:
        """Sends an agent's answer to the person, or says why not; False if it must wait. Only what a user of the desk
        wrote to the contact leaves: no note, nothing that came from us, so nothing can go round in a circle."""
        number = int(message["id"])
        with self.services.database.writing() as tx:
            row = tx.orm.get_one(DeskConversation, row_id)
            sender = message.get("sender") or {}
            is_answer = message.get("message_type") == OUTGOING and message.get("private") is False
            if not is_answer or sender.get("type") != "user" or message.get("source_id"):
                return self._finish(row, number)
            if row.emergency_id is not None:
                self.on_agent(tx, row.emergency_id, "answered", self.services.clock.now())
                put_refusal(tx, row, number, OF_EMERGENCY)
                return self._finish(row, number)
            parts = parts_of(row.source_id, message)
        return all(self._pass_on_part(row_id, number, part, parts) for part in parts)

    def _pass_on_part(self, row_id: int, number: int, part: AnswerPart, parts: Sequence[AnswerPart]) -> bool:
        """False if it must wait for the one before, or nothing more of this answer is sent."""
        with self.services.database.writing() as tx:
            row = tx.orm.get_one(DeskConversation, row_id)
            if row.read_id >= number:  # It was refused at an earlier part.
                return True
            if is_under_way(tx, row.reply_id):
                return False
            if message_queued_for(tx, part.once) is not None:
                return part is not parts[-1] or self._finish(row, number)
            if (obstacle := _obstacle(_thread(tx, row), parts, self.services.clock.now())) is not None:
                return self._refuse(tx, row, number, obstacle)
            # Longer than any file may take, both ways.
            row.busy_until = self.services.clock.now() + (LEASE if part.file is None else FILE_LEASE)
        try:
            content = Text(part.text) if part.file is None else self._media(part.file, part.text)
        except (FileNotFetched, BadContent) as fault:
            obstacle = f"No se envió {part.file.name if part.file else ''}: {fault.sentence}"
            with self.services.database.writing() as tx:
                return self._refuse(tx, tx.orm.get_one(DeskConversation, row_id), number, obstacle)
        with self.services.database.writing() as tx:
            row = tx.orm.get_one(DeskConversation, row_id)
            return self._queue(tx, row, number, part, content, is_last=part is parts[-1])

    def _queue(
        self,
        tx: Transaction,
        row: DeskConversation,
        number: int,
        part: AnswerPart,
        content: Text | Media,
        *,
        is_last: bool,
    ) -> bool:
        thread, now = _thread(tx, row), self.services.clock.now()
        if thread is None or not address_of(thread):
            return self._refuse(tx, row, number, JOINED if thread is None else ERASED)
        try:
            sent = queue_message(
                tx,
                self.services.keyring,
                thread.phone_number_id,
                address_of(thread),
                content,
                now,
                once=part.once,
                about=f"{ABOUT}{row.id}",
            )
        except ContactStopped:
            return self._refuse(tx, row, number, STOPPED)
        row.reply_id = sent.id
        mark_thread_handled(tx, thread, now)
        return self._finish(row, number) if is_last else True

    def _refuse(self, tx: Transaction, row: DeskConversation, number: int, reason: str) -> bool:
        put_refusal(tx, row, number, reason)
        return self._finish(row, number)

    def _finish(self, row: DeskConversation, number: int) -> bool:
        row.read_id, row.busy_until = number, self.services.clock.now() + LEASE
        return True

    def _media(self, file: AnswerFile, caption: str) -> Media:
        """Fetches the file and gives it to WhatsApp. After a crash that is done again, and nobody sees it: the message
        is sent once. Raises FileNotFetched or BadContent."""
        fetched = self.desk.fetch(file.url, LARGEST_FILE)
        content = fetched.content
        try:
            kind = check_file(fetched.mime, content.size)
            reader = StoredFileReader(content.pieces(), content.size)
            mime = fetched.mime.partition(";")[0].strip().lower()
            media_id = self.messenger.media.upload(cast(IO[bytes], reader), file.name, mime, content.size)
        except BadContent:
            raise
        except Refused as refusal:
            raise FileNotFetched("WhatsApp no lo aceptó.") from refusal
        finally:
            content.close()
        words = caption if kind in CAPTIONED else ""
        return Media(
            cast(Any, kind), media_id, caption=words or None, filename=file.name if kind == "document" else None
        )


def _thread(tx: Transaction, row: DeskConversation) -> Thread | None:
    return None if row.thread_id is None else tx.orm.get(Thread, row.thread_id)


def _obstacle(thread: Thread | None, parts: Sequence[AnswerPart], now: datetime) -> str | None:
    """Why this cannot be sent to the person of this thread, for the agent."""
    if thread is None or not address_of(thread):
        return JOINED if thread is None else ERASED
    if thread.stopped_at is not None:
        return STOPPED
    for part in parts:
        fault = _file_obstacle(thread, part.file, now) if part.file else _text_obstacle(thread, part.text, now)
        if fault is not None:
            return f"No se envió: {fault}"
    return None


def _file_obstacle(thread: Thread, file: AnswerFile, now: datetime) -> str | None:
    return file.fault if is_open(thread, now) else FILE_LATE


def _text_obstacle(thread: Thread, text: str, now: datetime) -> str | None:
    length = len(one_line(text))
    if not length:
        return EMPTY
    if not is_open(thread, now) and length > PENDING_LENGTH:
        return CUT.format(most=PENDING_LENGTH, length=length)
    try:
        message_body(Outgoing(address_of(thread), Text(text), "x"))
    except BadContent as fault:
        return fault.sentence
    return None
