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

from ficha.channels.chatwoot.client import Chatwoot
from ficha.channels.chatwoot.help_desk import HelpDesk
from ficha.channels.errors import Refused, RetryLater
from ficha.channels.job_services import JobServices
from ficha.channels.messenger import Messenger
from ficha.conversations import desk_conversations
from ficha.conversations.agent_answers import AgentAnswers, AgentHook
from ficha.conversations.desk_conversations import (
    EMERGENCY_LABEL,
    FILE_LEASE,
    LEASE,
    PLACED,
    DeskConversation,
    begin_anew,
    ensure_row,
    give_number,
    put_read,
    put_thread,
    release,
    take,
    with_number,
)
from ficha.conversations.message_words import (
    FILE_LATER,
    FILE_REFUSED,
    NextMessage,
    file_of,
    form_file,
    kind_words,
    next_message,
    words_of,
)
from ficha.core.crypto import Tampered
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job, Kind
from ficha.messaging.message_content import opened_json
from ficha.messaging.tables import Message, Thread
from ficha.messaging.threads import address_of

# In place of what concerns somebody's record: staff opens that here, with a reason, and it is logged.
RESERVED = "{} sobre una emergencia o una ficha. Se abre diciendo el motivo: {}"
# The notes about an emergency: its number and its address, and nothing about health.
# It may be held back, or nobody may be there to alert: how that goes says the page.
BEGUN = "Comenzó la emergencia {}; aquí se ve cómo va el aviso: {}"
WITHDRAWN = "Quien iba a la emergencia {} ya no puede, y no hay nadie más a quien avisar: {}"
UNANSWERED = "Nadie de la familia ha respondido a la emergencia {}, o no hay a quién avisar: {}"
HANDED_BACK = "Quien atendía la emergencia {} la devolvió; nadie la tiene: {}"
# When another job has the conversation, when to look again.
LATER = timedelta(seconds=1)
# How far back a sweep looks: several times its interval.
SWEEP_SECONDS = 600
# The labels of a person's thread.
ThreadLabels = Callable[[Transaction, Thread, datetime], list[str]]


@dataclass(frozen=True)
class Bridge:
    services: JobServices
    desk: HelpDesk
    answers: AgentAnswers
    on_agent: AgentHook
    thread_labels: ThreadLabels

    def send_thread(self, job: Job) -> None:
        """Everything that the person wrote and that is not at the desk yet."""
        self.desk.check_awake()
        thread_id = int(job.payload["thread_id"])
        with self.services.database.writing() as tx:
            thread = tx.orm.get(Thread, thread_id)
            if thread is None:
                return
            row_id = ensure_row(tx, self.services.clock.now(), thread_id=thread_id).id
            name, phone = address_of(thread), f"+{thread.wa_id}" if thread.wa_id else None
            labels = self.thread_labels(tx, thread, self.services.clock.now())
        with self._alone(row_id, lambda tx, at: put_thread(tx, thread_id, at)) as row:
            if row is None:
                return
            number = self._number_of(row) or self._open(row, name or "WhatsApp", phone)
            # What a person is does not change from one message to the next; that she is called to an emergency does.
            if labels and (not row.sent_id or EMERGENCY_LABEL in labels):
                self.desk.add_labels(number, labels)
            known = self._keys_at(number)
            while (found := self._next_of(thread_id, row_id)) is not None:
                if found.is_waited_for:
                    with self.services.database.writing() as tx:
                        put_thread(tx, thread_id, self.services.clock.now() + FILE_LATER)
                    return
                if found.key not in known:
                    self._add(row_id, number, found)
                self._note(row_id, sent_id=found.id)

    def read_desk(self, job: Job) -> None:
        """What agents wrote since the last time, and whether they closed it. Private notes stay at the desk."""
        self.desk.check_awake()
        row_id = int(job.payload["id"])
        with self._alone(row_id, lambda tx, at: put_read(tx, row_id, at)) as row:
            number = None if row is None else self._number_of(row)
            if row is None or number is None:
                return
            if not self.answers.pass_on_new(row_id, number, row.read_id):
                return
            is_resolved = self.desk.status_of(number) == "resolved"
            with self.services.database.writing() as tx:
                current = tx.orm.get_one(DeskConversation, row_id)
                if is_resolved and not current.is_resolved and current.emergency_id is not None:
                    self.on_agent(tx, current.emergency_id, "resolved", self.services.clock.now())
                current.is_resolved = is_resolved

    def open_emergency(self, job: Job) -> None:
        """A conversation with labels and a note that links to the emergency. The team on call gets it when nobody of
        the family answers."""
        self.desk.check_awake()
        emergency_id, unanswered = int(job.payload["emergency_id"]), bool(job.payload["unanswered"])
        with self.services.database.writing() as tx:
            row_id = ensure_row(tx, self.services.clock.now(), emergency_id=emergency_id).id
        with self._alone(row_id, None) as row:
            if row is None:
                raise TimeoutError  # Another job has it: this one is tried again.
            number = self._number_of(row) or self._open(row, f"Emergencia {emergency_id}", None)
            self.desk.add_labels(number, [EMERGENCY_LABEL, *job.payload["labels"]])
            again = int(job.payload.get("again", 0))
            handed_back = int(job.payload.get("handed_back", 0))  # Jobs of the version before do not say it.
            key = f"emergencia:{emergency_id}:{'personal' if unanswered else 'aviso'}"
            key += (f":{again}" if again else "") + (f":devuelta:{handed_back}" if handed_back else "")
            if key not in self._keys_at(number):
                link = f"{self.services.settings.public_url}/admin/emergencias/{emergency_id}"
                words = WITHDRAWN if again else UNANSWERED if unanswered else BEGUN
                words = HANDED_BACK if handed_back else words
                self.desk.add_message(number, words.format(emergency_id, link), key, private=True)
            if again or handed_back:
                self.desk.reopen(number)
                self._note(row_id, is_resolved=False)
            if unanswered:
                self.desk.assign_team(number, self.services.settings.chatwoot_team_id)
                with self.services.database.writing() as tx:
                    self.on_agent(tx, emergency_id, PLACED, self.services.clock.now())

    def sweep(self, _job: Job) -> None:
        """Looks again at what changed lately, at both ends. A platform that is down is looked at the next time, and one
        where nothing of ours is yet not at all."""
        with self.services.database.reading() as tx:
            if tx.orm.scalar(select(DeskConversation.id).limit(1)) is None:
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
        with self.services.database.reading() as tx:
            answered = [row for number in numbers if (row := with_number(tx, number)) is not None]
            threads = [thread_id for thread_id in tx.orm.scalars(behind) if thread_id is not None]
        if answered or threads:
            with self.services.database.writing() as tx:
                for row in answered:
                    put_read(tx, row.id)
                for thread_id in threads:
                    put_thread(tx, thread_id)

    def _add(self, row_id: int, number: int, message: NextMessage) -> None:
        """With its file. If the desk does not take that, the words say so: nothing waits for it for ever."""
        if message.file is None:
            self.desk.add_message(number, message.words, message.key, incoming=True)
            return
        self._note(row_id, busy_until=self.services.clock.now() + FILE_LEASE)
        try:
            with self.services.database.reading() as tx:
                file = form_file(tx, self.services.keyring, message)
                self.desk.add_message(number, message.words, message.key, incoming=True, file=file)
        except (Refused, Tampered) as refusal:
            log().warning("chatwoot.file_refused", message_id=message.id, error=type(refusal).__name__)
            words = f"{message.words} {FILE_REFUSED}"
            self.desk.add_message(number, words, message.key, incoming=True)

    def _next_of(self, thread_id: int, row_id: int) -> NextMessage | None:
        """The next message of theirs. The file of one that concerns a record stays here."""
        with self.services.database.reading() as tx:
            sent_id = tx.orm.get_one(DeskConversation, row_id).sent_id
            query = select(Message).where(Message.thread_id == thread_id, Message.id > sent_id)
            theirs = query.where(Message.is_ours.is_(False), Message.is_test.is_(False)).order_by(Message.id).limit(1)
            message = tx.orm.scalars(theirs).one_or_none()
            if message is None:
                return None
            thread = tx.orm.get_one(Thread, thread_id)
            words = kind_words(message.type)
            if message.record_id is not None:
                words = RESERVED.format(words, f"{self.services.settings.public_url}/admin/mensajes/{message.id}")
            if message.sealed is not None and message.record_id is None:
                try:
                    raw = opened_json(thread.open_key(self.services.keyring), message.sealed, message.sealing_context)
                    words = words_of(raw, message.type)
                except Tampered:
                    log().error("chatwoot.message_damaged", message_id=message.id)
            kept = None if message.record_id is not None else file_of(tx, message.id)
            return next_message(message, words, kept, self.services.clock.now())

    def _keys_at(self, conversation_id: int) -> set[str]:
        """Our names of the newest messages there: an attempt that was cut off may have sent the last one."""
        return {str(each["source_id"]) for each in self.desk.newest(conversation_id) if each.get("source_id")}

    def _number_of(self, row: DeskConversation) -> int | None:
        """Its number at the platform, if the conversation there is still that of our contact: a platform that was made
        anew gives the same numbers to other people. None if there is none, or not any more."""
        if row.conversation_id is None or row.conversation_id in self.desk.conversations_of(row.source_id):
            return row.conversation_id
        log().warning("chatwoot.made_anew", row_id=row.id)
        with self.services.database.writing() as tx:
            begin_anew(tx, row.id)
            renewed = tx.orm.get_one(DeskConversation, row.id, populate_existing=True)
            row.source_id, row.conversation_id, row.read_id = renewed.source_id, None, 0
        return None

    def _open(self, row: DeskConversation, name: str, phone: str | None) -> int:
        self.desk.ensure_contact(row.source_id, name, phone)
        number = self.desk.ensure_conversation(row.source_id)
        with self.services.database.writing() as tx:
            give_number(tx, row.id, number)
        return number

    def _note(self, row_id: int, **values: Any) -> None:
        with self.services.database.writing() as tx:
            row = tx.orm.get_one(DeskConversation, row_id)
            row.busy_until = self.services.clock.now() + LEASE
            for name, value in values.items():
                setattr(row, name, value)

    @contextmanager
    def _alone(
        self, row_id: int, put_later: Callable[[Transaction, datetime], None] | None
    ) -> Iterator[DeskConversation | None]:
        """The row, while no other job has it. None if one has: then `put_later` puts this job again."""
        now = self.services.clock.now()
        with self.services.database.writing() as tx:
            row = tx.orm.get(DeskConversation, row_id)
            is_ours = row is not None and take(tx, row_id, now)
            if row is not None and not is_ours and put_later is not None:
                put_later(tx, now + LATER)
        if not is_ours:
            yield None
            return
        try:
            yield row
        finally:
            with self.services.database.writing() as tx:
                release(tx, row_id)


LONGEST_WAIT = timedelta(minutes=1)


@dataclass(frozen=True)
class ConversationJobs(JobServices):
    chatwoot: Chatwoot
    messenger: Messenger
    on_agent: AgentHook
    thread_labels: ThreadLabels

    def kinds(self) -> list[Kind]:
        if not self.settings.bridges_conversations:
            return []
        desk = HelpDesk(self.chatwoot, self.settings)
        answers = AgentAnswers(self, desk, self.messenger, self.on_agent)
        bridge = Bridge(self, desk, answers, self.on_agent, self.thread_labels)
        return [
            # What gave up is taken up again by the sweep.
            Kind(desk_conversations.SEND_THREAD, bridge.send_thread, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.READ_DESK, bridge.read_desk, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.WRITE_STATE, answers.write_state, attempts=20, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.REFUSE, answers.write_refusal, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.OPEN_EMERGENCY, bridge.open_emergency, attempts=100, longest_wait=LONGEST_WAIT),
            Kind(desk_conversations.SWEEP, bridge.sweep, attempts=1, every=LONGEST_WAIT),
        ]
