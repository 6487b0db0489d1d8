"""The rows of messages while they are sent: read together with their threads, and changed, by a statement each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Table, bindparam, exists, select, update

from ficha.core.given_lists import one_of
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, place_of
from ficha.messaging.statuses import KnownStatus
from ficha.messaging.threads import THREAD_COLUMNS, Thread, ThreadRow

messages = cast(Table, Message.__table__)
threads = cast(Table, Thread.__table__)


@dataclass(frozen=True, eq=False)
class QueuedMessage:
    """What sending it needs."""

    id: int
    key: str
    about: str
    reply_to: str | None
    sealed: bytes
    has_turn: bool
    is_urgent: bool
    in_doubt_at: datetime | None
    next_try_at: datetime | None
    repeated_at: datetime | None
    is_said_once: bool
    expires_at: datetime | None
    thread: ThreadRow

    @property
    def place(self) -> str:
        return place_of(self.key)


OF_MESSAGE = [name for name in QueuedMessage.__dataclass_fields__ if name != "thread"]
THIS = messages.c.id == bindparam("message")
FIND = Prepared(
    select(
        *(messages.c[name] for name in OF_MESSAGE),
        *(threads.c[name].label(f"thread_{name}") for name in THREAD_COLUMNS),
    )
    .join(threads, threads.c.id == messages.c.thread_id)
    .where(one_of(messages.c.id, "ids"), messages.c.state == MessageState.QUEUED, messages.c.sealed.is_not(None))
    .order_by(messages.c.id)
    .with_for_update(of=messages)
)
NOTE_CALL = Prepared(
    update(messages)
    .where(THIS)
    .values(
        has_turn=False,
        attempts=messages.c.attempts + 1,
        in_doubt_at=bindparam("now"),
        next_try_at=None,
        repeated_at=bindparam("again"),
    )
)
NOTE_TURN = Prepared(update(messages).where(THIS).values(has_turn=True, next_try_at=bindparam("turn")))
# Nobody but us is concerned by a message that is about nothing, and whose statuses are all still to come.
NOTE_ACCEPTED = Prepared(
    update(messages)
    .where(THIS, messages.c.state == MessageState.QUEUED, messages.c.about == "", messages.c.is_secret.is_(False))
    .where(~exists().where(KnownStatus.provider_id == bindparam("name")))
    .values(
        provider_id=bindparam("name"),
        state=MessageState.ACCEPTED,
        accepted_at=bindparam("now"),
        in_doubt_at=None,
        next_try_at=None,
    )
)

# How far from a message its neighbours are looked for.
NEAR = 5000
HEARD_SINCE = Prepared(
    select(messages.c.id)
    .where(messages.c.id.between(bindparam("first"), bindparam("last")), messages.c.is_ours.is_(True))
    .where(messages.c.accepted_at > bindparam("called"), messages.c.sent_at.is_not(None))
    .limit(1)
)


def lock_queued(tx: Transaction, ids: Sequence[int]) -> list[QueuedMessage]:
    """Locks the rows of these messages, without those that are not queued any more or whose content was erased."""
    return [_queued(row) for row in tx.all(FIND, ids=ids)]


def note_calls(tx: Transaction, messages: Sequence[QueuedMessage], now: datetime) -> None:
    """Calls are under way: until their results are known, the messages are in doubt. One that was in doubt already is
    sent a second time, which its row says."""
    tx.run_many(
        NOTE_CALL,
        [
            {"message": each.id, "now": now, "again": each.repeated_at if each.in_doubt_at is None else now}
            for each in messages
        ],
    )


def may_say_again(tx: Transaction, message: QueuedMessage) -> bool:
    """Whether a message whose doubt has ended is sent again: once, unless it may be said only once. That one, and the
    others more often, only if the platform told us since about messages that it got later: then its silence about this
    one tells that the call had no effect."""
    if message.repeated_at is None and not message.is_said_once:
        return True
    if message.repeated_at is not None and message.is_said_once:
        return False
    near = {"first": message.id - NEAR, "last": message.id + NEAR}
    return tx.first(HEARD_SINCE, called=message.in_doubt_at, **near) is not None


def note_turn(tx: Transaction, message: QueuedMessage, at: datetime) -> None:
    """A send within the platform's limits is reserved for it."""
    tx.run(NOTE_TURN, message=message.id, turn=at)


def note_accepted(tx: Transaction, message_id: int, provider_id: str, now: datetime) -> bool:
    """False, and nothing is changed, if more has to be done about it than this."""
    return tx.changed(NOTE_ACCEPTED, message=message_id, name=provider_id, now=now) > 0


def _queued(row: Sequence[Any]) -> QueuedMessage:
    of_message = len(OF_MESSAGE)
    return QueuedMessage(*(*row[:of_message], ThreadRow(*row[of_message:])))
