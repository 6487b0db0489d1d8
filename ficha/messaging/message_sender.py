"""The job that sends messages, several at once. It notes each call before it is made and its result afterwards. A
message whose call has no result may have been sent: it is in doubt, and not sent again before a status had time to
come. It is sent again once at most, and an alert not at all: the ladder has other ways."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import select

from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, RetryLater, RetryRule
from ficha.channels.job_services import JobServices
from ficha.channels.messages import Accepted, Content, Outgoing, Template
from ficha.channels.messenger import Messenger, SendAnswer, send_all
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job
from ficha.messaging.failures import FailureHandler
from ficha.messaging.joined_threads import note_same_people
from ficha.messaging.message_content import content_of
from ficha.messaging.messages import STOP_CONFIRMATION, advance, publish_state, put_send_job
from ficha.messaging.notifications import has_waiting_notifications
from ficha.messaging.platform_account import faults_of
from ficha.messaging.statements import (
    change_budgets,
    insert_budgets,
    lock_budgets,
    lock_messages,
    lock_provider_ids,
    note_accepted,
    note_calls,
    note_turn,
)
from ficha.messaging.statuses import apply_earlier_statuses
from ficha.messaging.tables import Message, MessageRow, MessageState, ThreadRow, message_context
from ficha.messaging.threads import Person, address_of, is_open
from ficha.messaging.uptime import doubt_ends


class SendLimit(NamedTuple):
    """A limit of the platform, as a token bucket that all processes share: up to `size` at once, and `per_second` in
    the long run."""

    name: str
    size: float
    per_second: float


def reserve_sends(tx: Transaction, sends: Sequence[Sequence[SendLimit]], now: datetime) -> list[timedelta]:
    """For each send: takes a token of each of its limits, and says how long to wait before it is made. A balance may
    become negative: each of many messages at once gets a later time of its own, and none has to try again."""
    limits = {limit.name: limit for send in sends for limit in send}
    known = lock_budgets(tx, limits)
    if missing := [limits[name] for name in sorted(limits.keys() - known.keys())]:
        insert_budgets(tx, [{"name": limit.name, "tokens": limit.size, "at": now} for limit in missing])
        known |= lock_budgets(tx, [limit.name for limit in missing])
    tokens = {name: _tokens(limits[name], left, now - at) for name, (left, at) in known.items()}
    waits = []
    for send in sends:
        for limit in send:
            tokens[limit.name] -= 1
        waits.append(timedelta(seconds=max(0.0, *(-tokens[limit.name] / limit.per_second for limit in send))))
    change_budgets(
        tx, [{"budget": name, "left": left, "moment": max(now, known[name][1])} for name, left in tokens.items()]
    )
    return waits


def _tokens(limit: SendLimit, tokens: float, passed: timedelta) -> float:
    return min(limit.size, tokens + max(0.0, passed.total_seconds()) * limit.per_second)


# The platform allows one message in six seconds to one person, and 45 at once.
RECIPIENT_BURST, RECIPIENT_PER_SECOND = 45, 1 / 6
# How often a message is tried when the platform does not know its own error.
FEW_ATTEMPTS = 5
LONGEST_WAIT = timedelta(minutes=5)
TOKEN_WAIT = timedelta(minutes=1)
UNREAD_WAIT = timedelta(seconds=2)
# Nobody knows whether it arrived, and it may not be said again.
NO_NEWS = "sin_noticia"
# Messages that one job sends. If its process dies, as many may be in doubt.
CALLS_AT_ONCE = 16
# How far from a message its neighbours are looked for.
NEAR = 5000


class SendFault(NamedTuple):
    """Why a message cannot be sent: our word for it, and the platform's code if it has one."""

    error: str
    code: int | None = None


@dataclass(frozen=True)
class MessageSender:
    services: JobServices
    messenger: Messenger
    failures: FailureHandler

    @property
    def doubt(self) -> timedelta:
        """How long a status may still tell about a call."""
        return timedelta(seconds=self.services.settings.whatsapp_doubt_seconds)

    def deliver(self, job: Job) -> None:
        self.deliver_together([job])

    def deliver_together(self, jobs: Sequence[Job]) -> None:
        """Sends the queued messages of these jobs, or puts the jobs again for later. No transaction is open during the
        calls."""
        ids = [int(job.payload["message_id"]) for job in jobs]
        with self.services.database.writing() as tx:
            outgoing = self._prepare(tx, ids, self.services.clock.now())
        # Not two at once to the same person, who would perhaps get the second first.
        while outgoing:
            group = {each.to: message_id for message_id, each in reversed(outgoing.items())}
            self._send({message_id: outgoing.pop(message_id) for message_id in sorted(group.values())})

    def _send(self, outgoing: Mapping[int, Outgoing]) -> None:
        """Makes these calls at the same time, and notes each answer soon after it came."""
        ids = list(outgoing)
        for answers in send_all(self.messenger, list(outgoing.values())):
            with self.services.database.writing() as tx:
                # Rows are locked in the order of their ids, as whoever applies statuses does.
                self._note_answers(tx, {ids[index]: answers[index] for index in sorted(answers)})
                note_same_people(tx, _people_in(outgoing, ids, answers))

    def _prepare(self, tx: Transaction, ids: Sequence[int], now: datetime) -> dict[int, Outgoing]:
        """What to send now, by the message's id. For each other message this stores what is to happen instead."""
        ready: dict[MessageRow, Outgoing] = {}
        for message in lock_messages(tx, ids):
            thread = message.thread
            if message.state != MessageState.QUEUED or message.sealed is None or thread is None:
                continue  # It was sent or erased meanwhile, or its thread joined to another, which put another job.
            wait_until = self._wait_until(tx, message, now)
            if wait_until is not None:
                put_send_job(tx, message.id, message.is_urgent, at=wait_until)
                continue
            content = content_of(thread.open_key(self.services.keyring), message.sealed, message_context(message.key))
            fault = self._fault(tx, message, thread, content, now)
            if fault is None:
                # From the number of ours at which the person has this thread.
                number = thread.phone_number_id
                ready[message] = Outgoing(address_of(thread), content, message.key, message.reply_to, number)
                if message.in_doubt_at is not None:
                    log().warning("whatsapp.sent_again", message_id=message.id)
            else:
                failed = tx.orm.get_one(Message, message.id)
                self.failures.fail(tx, failed, now, code=fault.code, error=fault.error)
        self._reserve_sends(tx, ready, now)
        note_calls(tx, ready, now)
        return {message.id: outgoing for message, outgoing in ready.items()}

    def _wait_until(self, tx: Transaction, message: MessageRow, now: datetime) -> datetime | None:
        """When to look again; None for now. A message in doubt waits for a status, and also while notifications are not
        processed that came in that time, because one of them may contain it."""
        if message.in_doubt_at is not None and not message.has_turn:
            ends = doubt_ends(tx, message.in_doubt_at, self.doubt)
            if now < ends:
                return ends
            if has_waiting_notifications(tx, ends):
                return now + UNREAD_WAIT
            # What is said once waits, while it is of use, for news of later messages: these tell that it was not taken.
            may_come = message.expires_at is not None and now < message.expires_at and message.repeated_at is None
            if message.is_said_once and may_come and not _was_later_one_told(tx, message):
                return now + UNREAD_WAIT
        return message.next_try_at if message.next_try_at is not None and now < message.next_try_at else None

    def _fault(
        self, tx: Transaction, message: MessageRow, thread: ThreadRow, content: Content, now: datetime
    ) -> SendFault | None:
        """Why it should not be sent at all, or None."""
        is_expired = message.expires_at is not None and message.expires_at <= now
        if message.in_doubt_at is not None and (is_expired or not _may_say_again(tx, message)):
            return SendFault(NO_NEWS)
        if is_expired:
            return SendFault("vencido")
        if thread.stopped_at is not None and message.about != STOP_CONFIRMATION:
            return SendFault("contacto_de_baja")
        if isinstance(content, Template):
            return SendFault("plantilla_invalida") if faults_of(tx, content) else None
        return None if is_open(thread, now) else SendFault("ventana_cerrada", self.messenger.window_closed_code)

    def _reserve_sends(self, tx: Transaction, ready: dict[MessageRow, Outgoing], now: datetime) -> None:
        """Takes out of `ready`, and puts off, what would exceed the limits of our number or of a recipient."""
        without_turn = [message for message in ready if not message.has_turn]
        if not without_turn:
            return
        threads = [message.thread for message in without_turn if message.thread is not None]  # All of them have one.
        waits = reserve_sends(tx, [self._limits(thread) for thread in threads], now)
        for message, wait in zip(without_turn, waits, strict=True):
            if wait:
                note_turn(tx, message.id, now + wait)
                put_send_job(tx, message.id, message.is_urgent, at=now + wait)
                del ready[message]

    def _limits(self, thread: ThreadRow) -> list[SendLimit]:
        per_second = self.services.settings.whatsapp_per_second
        return [
            SendLimit(f"number:{thread.phone_number_id}", per_second, per_second),
            SendLimit(f"pair:{thread.id}", RECIPIENT_BURST, RECIPIENT_PER_SECOND),
        ]

    def _note_answers(self, tx: Transaction, answers: Mapping[int, SendAnswer]) -> None:
        lock_provider_ids(tx, {each.provider_id for each in answers.values() if isinstance(each, Accepted)})
        plain = []
        for message_id, answer in answers.items():
            if not isinstance(answer, Accepted):
                self._note_refused(tx, tx.orm.get_one(Message, message_id, with_for_update=True), answer)
            # One UPDATE is all for a message that is about nothing, as most are.
            elif note_accepted(tx, message_id, answer.provider_id, self.services.clock.now()):
                plain.append(message_id)
            else:
                self._note_accepted(tx, message_id, answer.provider_id, self.services.clock.now())
        publish_state(tx, plain, MessageState.ACCEPTED, "", self.services.clock.now())

    def _note_accepted(self, tx: Transaction, message_id: int, provider_id: str, now: datetime) -> None:
        [message] = lock_messages(tx, [message_id])
        message = message._replace(provider_id=provider_id)
        message = advance(tx, self.failures.hooks, message, MessageState.ACCEPTED, now, now)
        apply_earlier_statuses(tx, self.failures, message, now)

    def _note_refused(self, tx: Transaction, message: Message, refusal: RetryLater | Refused) -> None:
        if message.state != MessageState.QUEUED:
            return  # A status came before the answer.
        now = self.services.clock.now()
        if isinstance(refusal, OutcomeUnknown):
            put_send_job(tx, message.id, message.is_urgent, at=(message.in_doubt_at or now) + self.doubt)
            return
        message.in_doubt_at = None  # This call had no effect; one before it may have had, which `repeated_at` says.
        if not isinstance(refusal, NotSent):
            message.error_code = refusal.code
        wait = self._wait_after(message, refusal)
        if wait is None:
            self.failures.fail(tx, message, now, code=refusal.code)
        else:
            message.next_try_at = now + wait
            put_send_job(tx, message.id, message.is_urgent, at=now + wait)

    def _wait_after(self, message: Message, refusal: RetryLater | Refused) -> timedelta | None:
        """How long to wait before the next attempt. None where another attempt cannot help."""
        if isinstance(refusal, Refused):
            if not refusal.is_about_our_credentials:
                return None
            log().error("whatsapp.token_refused", code=refusal.code)
            wait = TOKEN_WAIT
        elif refusal.rule is RetryRule.RECIPIENT_LIMIT:
            message.pair_hits += 1
            wait = min(timedelta(seconds=4.0 ** (message.pair_hits - 1)), LONGEST_WAIT)
        elif refusal.rule is RetryRule.FEW_TIMES and message.attempts >= FEW_ATTEMPTS:
            return None
        else:
            wait = backoff(message.attempts)
        return max(wait, timedelta(seconds=refusal.retry_after or 0))


def _may_say_again(tx: Transaction, message: MessageRow) -> bool:
    """Whether a message whose doubt has ended is sent again: once, unless it may be said only once. That one, and the
    others more often, only if the platform told us since about messages that it got later: then its silence about this
    one tells that the call had no effect."""
    if message.repeated_at is None and not message.is_said_once:
        return True
    if message.repeated_at is not None and message.is_said_once:
        return False
    return _was_later_one_told(tx, message)


def _was_later_one_told(tx: Transaction, message: MessageRow) -> bool:
    is_near = Message.is_ours.is_(True) & Message.id.between(message.id - NEAR, message.id + NEAR)
    heard = (Message.accepted_at > message.in_doubt_at, Message.sent_at.is_not(None))
    return tx.orm.scalar(select(Message.id).where(is_near, *heard).limit(1)) is not None


def _people_in(
    outgoing: Mapping[int, Outgoing], ids: Sequence[int], answers: Mapping[int, SendAnswer]
) -> Iterator[tuple[str, Person]]:
    """Whom the platform sent each to: it may know both the number and the user id of who has the address."""
    for index, answer in answers.items():
        message = outgoing[ids[index]]
        if isinstance(answer, Accepted) and message.number_id:
            asked = Person.from_address(message.to)
            yield message.number_id, Person(answer.wa_id or asked.wa_id, answer.user_id or asked.user_id)


def backoff(attempts: int) -> timedelta:
    """Twice as long after each attempt, less a random part, so that messages that failed together are not all tried
    together."""
    longest = min(LONGEST_WAIT.total_seconds(), 2.0 ** min(attempts - 1, 30))
    return timedelta(seconds=longest * random.uniform(0.5, 1))  # noqa: S311
