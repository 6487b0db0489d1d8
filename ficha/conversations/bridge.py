"""The bridge: jobs that carry messages to the desk and back, each once and in order.

The platform tells our webhook once and never again, so what it tells is only a reason to look: a job reads what is new
after the last message that it read. A sweep looks again at what changed lately, and nothing is lost with a webhook.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.channels.chatwoot.desk import Desk, DeskRefused
from ficha.channels.errors import RetryLater
from ficha.channels.messages import Text
from ficha.conversations.bridge_jobs import ABOUT, EMERGENCY_LABEL, PLACED, put_read, put_thread
from ficha.conversations.desk_conversations import (
    LEASE,
    DeskConversation,
    begin_anew,
    ensure_row,
    give_number,
    release,
    take,
    with_number,
)
from ficha.conversations.message_words import words_of
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring, Tampered
from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.settings import Settings
from ficha.jobs.kinds import Job
from ficha.messaging.handled_messages import mark_thread_handled
from ficha.messaging.message_content import opened_json
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import ContactStopped, Message, queue_message
from ficha.messaging.threads import Thread

# The platform's numbers for the kinds of a message.
OUTGOING = 1
# In place of what concerns somebody's record: staff opens that here, with a reason, and it is logged.
RESERVED = "[Mensaje sobre una ficha: se abre en Ficha]"
# The notes about an emergency: its number and its address, and nothing about health.
BEGUN = "Comenzó la emergencia {}; se está avisando a la familia: {}"
WITHDRAWN = "Quien iba a la emergencia {} ya no puede, y no hay nadie más a quien avisar: {}"
UNANSWERED = "Nadie de la familia ha respondido a la emergencia {}: {}"
# When another job has the conversation, when to look again.
LATER = timedelta(seconds=1)
# How far back a sweep looks: several times its interval.
SWEEP_SECONDS = 600
STATES = {
    MessageState.SENT: "sent",
    MessageState.DELIVERED: "delivered",
    MessageState.READ: "read",
    MessageState.FAILED: "failed",
}
UNDER_WAY = (MessageState.QUEUED,)

# What happened to the conversation of an emergency: it is PLACED, an agent "answered", or it is "resolved".
AgentHook = Callable[[Session, int, str, datetime], None]
# The labels of a person's thread.
ThreadLabels = Callable[[Session, Thread, datetime], list[str]]


@dataclass(frozen=True)
class Bridge:
    database: Database
    keyring: Keyring
    clock: Clock
    settings: Settings
    desk: Desk
    on_agent: AgentHook
    thread_labels: ThreadLabels

    def send_thread(self, job: Job) -> None:
        """Everything that the person wrote and that is not at the desk yet."""
        self.desk.check_awake()
        thread_id = int(job.payload["thread_id"])
        with self.database.writing() as session:
            thread = session.get(Thread, thread_id)
            if thread is None:
                return
            row_id = ensure_row(session, self.clock.now(), thread_id=thread_id).id
            name, phone = thread.address, f"+{thread.wa_id}" if thread.wa_id else None
            labels = self.thread_labels(session, thread, self.clock.now())
        with self._alone(row_id, lambda session, at: put_thread(session, thread_id, at)) as row:
            if row is None:
                return
            number = self._number_of(row) or self._open(row, name or "WhatsApp", phone)
            # What a person is does not change from one message to the next; that she is called to an emergency does.
            if labels and (not row.sent_id or EMERGENCY_LABEL in labels):
                self.desk.add_labels(number, labels)
            known = self._keys_at(number)
            while (found := self._next_of(thread_id, row_id)) is not None:
                message_id, key, words = found
                if key not in known:
                    self.desk.add_message(number, words, key, incoming=True)
                self._note(row_id, sent_id=message_id)

    def read_desk(self, job: Job) -> None:
        """What agents wrote since the last time, and whether they closed it. Private notes stay at the desk."""
        self.desk.check_awake()
        row_id = int(job.payload["id"])
        with self._alone(row_id, lambda session, at: put_read(session, row_id, at)) as row:
            number = None if row is None else self._number_of(row)
            if row is None or number is None:
                return
            if not self._pass_on_new(row_id, number, row.read_id):
                return
            is_resolved = self.desk.status_of(number) == "resolved"
            with self.database.writing() as session:
                current = session.get_one(DeskConversation, row_id)
                if is_resolved and not current.is_resolved and current.emergency_id is not None:
                    self.on_agent(session, current.emergency_id, "resolved", self.clock.now())
                current.is_resolved = is_resolved

    def write_state(self, job: Job) -> None:
        """The newest state, so that the order of these jobs does not matter."""
        self.desk.check_awake()
        with self.database.reading() as session:
            message = session.get(Message, int(job.payload["message_id"]))
            if message is None or not message.about.startswith(ABOUT) or message.once is None:
                return
            row = session.get(DeskConversation, int(message.about.removeprefix(ABOUT)))
            state, error, theirs = STATES.get(MessageState(message.state)), message.error, message.once
        source_id, _, number = theirs.removeprefix(ABOUT).rpartition(":")
        # An answer to what was said before the platform was made anew has no place there.
        if row is None or row.conversation_id is None or state is None or source_id not in ("", row.source_id):
            return
        try:
            self.desk.write_state(row.conversation_id, int(number), state, error)
        except DeskRefused as refusal:
            log().warning("chatwoot.state_refused", message_id=message.id, status=refusal.code)

    def open_emergency(self, job: Job) -> None:
        """A conversation with labels and a note that links to the emergency. The team on call gets it when nobody of
        the family answers."""
        self.desk.check_awake()
        emergency_id, unanswered = int(job.payload["emergency_id"]), bool(job.payload["unanswered"])
        with self.database.writing() as session:
            row_id = ensure_row(session, self.clock.now(), emergency_id=emergency_id).id
        with self._alone(row_id, None) as row:
            if row is None:
                raise TimeoutError  # Another job has it: this one is tried again.
            number = self._number_of(row) or self._open(row, f"Emergencia {emergency_id}", None)
            self.desk.add_labels(number, [EMERGENCY_LABEL, *job.payload["labels"]])
            again = int(job.payload.get("again", 0))
            key = f"emergencia:{emergency_id}:{'personal' if unanswered else 'aviso'}" + (f":{again}" if again else "")
            if key not in self._keys_at(number):
                link = f"{self.settings.public_url}/admin/emergencias/{emergency_id}"
                words = WITHDRAWN if again else UNANSWERED if unanswered else BEGUN
                self.desk.add_message(number, words.format(emergency_id, link), key, private=True)
            if again:
                self.desk.reopen(number)
                self._note(row_id, is_resolved=False)
            if unanswered:
                self.desk.assign_team(number, self.settings.chatwoot_team_id)
                with self.database.writing() as session:
                    self.on_agent(session, emergency_id, PLACED, self.clock.now())

    def sweep(self, _job: Job) -> None:
        """Looks again at what changed lately, at both ends. A platform that is down is looked at the next time, and one
        where nothing of ours is yet not at all."""
        with self.database.reading() as session:
            if session.scalar(select(DeskConversation.id).limit(1)) is None:
                return
        try:
            numbers = self.desk.changed_within(SWEEP_SECONDS)
        except RetryLater as failure:
            log().warning("chatwoot.not_swept", error=type(failure).__name__)
            return
        theirs = (Message.is_ours.is_(False), Message.is_test.is_(False))
        behind = (
            select(DeskConversation.thread_id)
            .join(Message, Message.thread_id == DeskConversation.thread_id)
            .where(Message.id > DeskConversation.sent_id, *theirs)
            .distinct()
        )
        # Many conversations are looked at, and seldom is one found: no writer waits meanwhile.
        with self.database.reading() as session:
            answered = [row for number in numbers if (row := with_number(session, number)) is not None]
            threads = [thread_id for thread_id in session.scalars(behind) if thread_id is not None]
        if answered or threads:
            with self.database.writing() as session:
                for row in answered:
                    put_read(session, row.id)
                for thread_id in threads:
                    put_thread(session, thread_id)

    def _pass_on_new(self, row_id: int, conversation_id: int, read_id: int) -> bool:
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

    def _pass_on(self, session: Session, row: DeskConversation, message: dict[str, Any]) -> bool:
        """Sends an agent's answer to the person; False if it must wait. Only what a user of the desk wrote to the
        contact leaves: no note, nothing that came from us, so nothing can go round in a circle."""
        sender = message.get("sender") or {}
        is_answer = message.get("message_type") == OUTGOING and message.get("private") is False
        if not is_answer or sender.get("type") != "user" or message.get("source_id"):
            return True
        now = self.clock.now()
        if row.emergency_id is not None:
            self.on_agent(session, row.emergency_id, "answered", now)
        if row.thread_id is None or not message.get("content"):
            return True
        before = None if row.reply_id is None else session.get(Message, row.reply_id)
        if before is not None and before.state in UNDER_WAY:
            return False
        thread = session.get_one(Thread, row.thread_id)
        try:
            sent = queue_message(
                session,
                self.keyring,
                thread.phone_number_id,
                thread.address,
                Text(str(message["content"])),
                now,
                once=f"{ABOUT}{row.source_id}:{message['id']}",
                about=f"{ABOUT}{row.id}",
            )
        except ContactStopped:
            log().info("chatwoot.contact_stopped", thread_id=thread.id)
        else:
            row.reply_id = sent.id
            mark_thread_handled(session, thread, now)
        return True

    def _next_of(self, thread_id: int, row_id: int) -> tuple[int, str, str] | None:
        """The next message of theirs: its id, its key, and its words."""
        with self.database.reading() as session:
            sent_id = session.get_one(DeskConversation, row_id).sent_id
            query = select(Message).where(Message.thread_id == thread_id, Message.id > sent_id)
            theirs = query.where(Message.is_ours.is_(False), Message.is_test.is_(False)).order_by(Message.id).limit(1)
            message = session.scalars(theirs).one_or_none()
            if message is None:
                return None
            thread = session.get_one(Thread, thread_id)
            words = RESERVED if message.record_id is not None else f"[{message.type}]"
            if message.sealed is not None and message.record_id is None:
                try:
                    raw = opened_json(thread.open_key(self.keyring), message.sealed, message.place)
                    words = words_of(raw, message.type)
                except Tampered:
                    log().error("chatwoot.message_damaged", message_id=message.id)
            return message.id, message.key, words

    def _keys_at(self, conversation_id: int) -> set[str]:
        """Our names of the newest messages there: an attempt that was cut off may have sent the last one."""
        return {str(each["source_id"]) for each in self.desk.newest(conversation_id) if each.get("source_id")}

    def _number_of(self, row: DeskConversation) -> int | None:
        """Its number at the platform, if the conversation there is still that of our contact: a platform that was made
        anew gives the same numbers to other people. None if there is none, or not any more."""
        if row.conversation_id is None or row.conversation_id in self.desk.conversations_of(row.source_id):
            return row.conversation_id
        log().warning("chatwoot.made_anew", row_id=row.id)
        with self.database.writing() as session:
            begin_anew(session, row.id)
            renewed = session.get_one(DeskConversation, row.id, populate_existing=True)
            row.source_id, row.conversation_id, row.read_id = renewed.source_id, None, 0
        return None

    def _open(self, row: DeskConversation, name: str, phone: str | None) -> int:
        self.desk.ensure_contact(row.source_id, name, phone)
        number = self.desk.ensure_conversation(row.source_id)
        with self.database.writing() as session:
            give_number(session, row.id, number)
        return number

    def _note(self, row_id: int, **values: Any) -> None:
        with self.database.writing() as session:
            row = session.get_one(DeskConversation, row_id)
            row.busy_until = self.clock.now() + LEASE
            for name, value in values.items():
                setattr(row, name, value)

    @contextmanager
    def _alone(
        self, row_id: int, put_later: Callable[[Session, datetime], None] | None
    ) -> Iterator[DeskConversation | None]:
        """The row, while no other job has it. None if one has: then `put_later` puts this job again."""
        now = self.clock.now()
        with self.database.writing() as session:
            row = session.get(DeskConversation, row_id)
            is_ours = row is not None and take(session, row_id, now)
            if row is not None and not is_ours and put_later is not None:
                put_later(session, now + LATER)
        if not is_ours:
            yield None
            return
        try:
            yield row
        finally:
            with self.database.writing() as session:
                release(session, row_id)
