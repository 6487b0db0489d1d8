"""The row of a message while it is sent: read together with its thread, and changed, by a statement each."""

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Table, bindparam, exists, select, update
from sqlalchemy.orm import Session

from ficha.core.prepared import Prepared
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message
from ficha.messaging.statuses import KnownStatus
from ficha.messaging.threads import Thread

messages = cast(Table, Message.__table__)
threads = cast(Table, Thread.__table__)


@dataclass(frozen=True)
class QueuedMessage:
    """What sending it needs. `thread` is a copy: changing it changes nothing."""

    id: int
    key: str
    about: str
    reply_to: str | None
    sealed: bytes
    has_turn: bool
    is_urgent: bool
    in_doubt_at: datetime | None
    next_try_at: datetime | None
    expires_at: datetime | None
    thread: Thread

    @property
    def place(self) -> str:
        return f"message:{self.key}"


OF_MESSAGE = [name for name in QueuedMessage.__dataclass_fields__ if name != "thread"]
OF_THREAD = ["id", "name", "phone_number_id", "wa_id", "user_id", "last_inbound_at", "stopped_at", "key_id"]
OF_THREAD += ["wrapped_key"]
THIS = messages.c.id == bindparam("message")
FIND = Prepared(
    select(*(messages.c[name] for name in OF_MESSAGE), *(threads.c[name].label(f"thread_{name}") for name in OF_THREAD))
    .join(threads, threads.c.id == messages.c.thread_id)
    .where(THIS, messages.c.state == MessageState.QUEUED, messages.c.sealed.is_not(None))
    .with_for_update(of=messages)
)
NOTE_CALL = Prepared(
    update(messages)
    .where(THIS)
    .values(has_turn=False, attempts=messages.c.attempts + 1, in_doubt_at=bindparam("now"), next_try_at=None)
)
NOTE_TURN = Prepared(
    update(messages).where(THIS).values(has_turn=True, in_doubt_at=None, next_try_at=bindparam("turn"))
)
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


def lock_queued(session: Session, message_id: int) -> QueuedMessage | None:
    """Locks the message's row. None if it is not queued any more, or its content was erased."""
    row = FIND.first(session, message=message_id)
    if row is None:
        return None
    thread = Thread(**dict(zip(OF_THREAD, row[len(OF_MESSAGE) :], strict=True)))
    return QueuedMessage(**dict(zip(OF_MESSAGE, row, strict=False)), thread=thread)


def note_call(session: Session, message: QueuedMessage, now: datetime) -> None:
    """A call is under way: until its result is known, the message is in doubt."""
    NOTE_CALL.run(session, message=message.id, now=now)


def note_turn(session: Session, message: QueuedMessage, at: datetime) -> None:
    """A send within the platform's limits is reserved for it."""
    NOTE_TURN.run(session, message=message.id, turn=at)


def note_accepted(session: Session, message_id: int, provider_id: str, now: datetime) -> bool:
    """False, and nothing is changed, if more has to be done about it than this."""
    return NOTE_ACCEPTED.run(session, message=message_id, name=provider_id, now=now) > 0
