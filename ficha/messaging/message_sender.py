"""The job that sends. Before a call it writes down that one is under way, and after it how it ended: a call whose end
nobody wrote down may have been heard, and is not repeated before the statuses had time to tell."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy.orm import Session

from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, RetryLater, RetryRule
from ficha.channels.messages import Accepted, Content, Outgoing, Template
from ficha.channels.messenger import Messenger
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.log import log
from ficha.jobs.kinds import Job
from ficha.messaging.failures import Failures
from ficha.messaging.message_content import content_of
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import STOP_ANSWER, Message, apply_state, put_to_send
from ficha.messaging.notifications import are_waiting
from ficha.messaging.send_limits import book_send
from ficha.messaging.statuses import take_earlier_statuses
from ficha.messaging.templates import faults_of
from ficha.messaging.threads import Thread

# One message in six seconds to one person, and 45 at once on credit.
PAIR_SIZE, PAIR_PER_SECOND = 45, 1 / 6
# For what the platform calls an unknown mistake of its own.
FEW = 5
LONGEST_WAIT = timedelta(minutes=5)
TOKEN_WAIT = timedelta(minutes=1)
UNREAD_WAIT = timedelta(seconds=2)


class Fault(NamedTuple):
    error: str
    code: int | None = None


@dataclass(frozen=True)
class MessageSender:
    database: Database
    keyring: Keyring
    clock: Clock
    messenger: Messenger
    failures: Failures
    doubt: timedelta
    per_second: int

    def deliver(self, job: Job) -> None:
        message_id = int(job.payload["message_id"])
        with self.database.writing() as session:
            outgoing = self._prepare(session, message_id, self.clock.now())
        if outgoing is None:
            return
        try:
            answer: Accepted | RetryLater | Refused = self.messenger.send(outgoing)
        except (RetryLater, Refused) as refusal:
            answer = refusal
        with self.database.writing() as session:
            message = session.get_one(Message, message_id, with_for_update=True)
            if isinstance(answer, Accepted):
                self._accepted(session, message, answer)
            else:
                self._refused(session, message, answer)

    def _prepare(self, session: Session, message_id: int, now: datetime) -> Outgoing | None:
        """What to send now, or None when it is not the time, or there is nothing left to do."""
        message = session.get(Message, message_id, with_for_update=True)
        if message is None or message.state != MessageState.QUEUED or message.sealed is None:
            return None
        not_before = self._not_before(session, message, now)
        if not_before is not None:
            put_to_send(session, message, at=not_before)
            return None
        thread = session.get_one(Thread, message.thread_id)
        content = content_of(thread.open_key(self.keyring), message.sealed, message.place)
        fault = self._fault(session, message, thread, content, now)
        if fault is not None:
            self.failures.fail(session, message, now, code=fault.code, error=fault.error)
            return None
        if not message.has_turn and (wait := self._turn(session, thread, now)):
            message.has_turn = True
            self._later(session, message, now + wait)
            return None
        message.has_turn = False
        message.attempts += 1
        message.in_doubt_at = now
        message.next_try_at = None
        return Outgoing(thread.address, content, message.key, message.reply_to)

    def _not_before(self, session: Session, message: Message, now: datetime) -> datetime | None:
        """When to look again, if not now. A doubt that nobody resolved in its time is over, but not while
        something that may speak of it lies unread."""
        if message.in_doubt_at is not None:
            sure_at = message.in_doubt_at + self.doubt
            if now < sure_at:
                return sure_at
            if now < sure_at + LONGEST_WAIT and are_waiting(session):
                return now + UNREAD_WAIT
            log().warning("whatsapp.sent_again", message_id=message.id)
            message.in_doubt_at = None
        return message.next_try_at if message.next_try_at is not None and now < message.next_try_at else None

    def _fault(
        self, session: Session, message: Message, thread: Thread, content: Content, now: datetime
    ) -> Fault | None:
        """Why it should not be sent at all."""
        if message.expires_at is not None and message.expires_at <= now:
            return Fault("vencido")
        if thread.stopped_at is not None and message.about != STOP_ANSWER:
            return Fault("contacto_de_baja")
        if isinstance(content, Template):
            return Fault("plantilla_invalida") if faults_of(session, content) else None
        return None if thread.is_open(now) else Fault("ventana_cerrada", self.messenger.window_closed_code)

    def _turn(self, session: Session, thread: Thread, now: datetime) -> timedelta:
        number = f"number:{thread.phone_number_id}"
        waits = (
            book_send(session, number, self.per_second, self.per_second, now),
            book_send(session, f"pair:{thread.id}", PAIR_SIZE, PAIR_PER_SECOND, now),
        )
        return max(waits)

    def _accepted(self, session: Session, message: Message, accepted: Accepted) -> None:
        now = self.clock.now()
        message.provider_id = accepted.provider_id
        apply_state(session, self.failures.hooks, message, MessageState.ACCEPTED, now, now)
        take_earlier_statuses(session, self.failures, message, now)

    def _refused(self, session: Session, message: Message, refusal: RetryLater | Refused) -> None:
        if message.state != MessageState.QUEUED:
            return  # Its statuses were quicker than the answer.
        now = self.clock.now()
        if isinstance(refusal, OutcomeUnknown):
            put_to_send(session, message, at=(message.in_doubt_at or now) + self.doubt)
            return
        message.in_doubt_at = None
        if not isinstance(refusal, NotSent):
            message.error_code = refusal.code
        wait = self._wait_after(message, refusal)
        if wait is None:
            self.failures.fail(session, message, now, code=refusal.code)
        else:
            self._later(session, message, now + wait)

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
        elif refusal.rule is RetryRule.FEW_TIMES and message.attempts >= FEW:
            return None
        else:
            wait = backoff(message.attempts)
        return max(wait, timedelta(seconds=refusal.retry_after or 0))

    def _later(self, session: Session, message: Message, at: datetime) -> None:
        message.next_try_at = at
        put_to_send(session, message, at=at)


def backoff(attempts: int) -> timedelta:
    """Twice as long each time, less up to half by chance, so that those who failed together do not return together."""
    longest = min(LONGEST_WAIT.total_seconds(), 2.0 ** min(attempts - 1, 30))
    return timedelta(seconds=longest * random.uniform(0.5, 1))  # noqa: S311
