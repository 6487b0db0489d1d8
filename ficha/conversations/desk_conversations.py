"""The conversations at the help desk: one for each thread, and one for each emergency that staff looks after; and how
other packages put the jobs that carry messages there and back."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, String, or_, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc, insert_new
from ficha.core.ids import random_text
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.messages import ReceivedMessage
from ficha.messaging.tables import MessageRow, Thread

# Longer than the calls for one message may take; after each it begins again.
LEASE = timedelta(seconds=60)
# Longer than a file may take, both ways.
FILE_LEASE = timedelta(minutes=5)


class DeskConversation(Base):
    """`source_id` is our name for the contact there, random and chosen before the platform is asked: an attempt that is
    repeated finds what the one before has made, and a platform that was made anew does not know it."""

    __tablename__ = "desk_conversations"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    thread_id: Mapped[int | None] = mapped_column(ForeignKey(Thread.id, ondelete="CASCADE"), unique=True)
    # No foreign key: this package knows nothing of emergencies.
    emergency_id: Mapped[int | None] = mapped_column(BigId, unique=True)
    source_id: Mapped[str] = mapped_column(String(40), unique=True)
    # Its number at the platform, once it is there.
    conversation_id: Mapped[int | None] = mapped_column(BigId, unique=True)
    # The last message of ours that is there, and the last of theirs that was read.
    sent_id: Mapped[int] = mapped_column(BigId, default=0)
    read_id: Mapped[int] = mapped_column(BigId, default=0)
    # The answer that was sent last: the next one waits until the platform has accepted it, so that they stay in order.
    reply_id: Mapped[int | None] = mapped_column(BigId)
    is_resolved: Mapped[bool] = mapped_column(default=False)
    # Until then one job has it to itself.
    busy_until: Mapped[datetime | None] = mapped_column(Utc)
    created_at: Mapped[datetime] = mapped_column(Utc)


def ensure_row(
    tx: Transaction, now: datetime, *, thread_id: int | None = None, emergency_id: int | None = None
) -> DeskConversation:
    """If two processes make it at once, one does, and both get it."""
    same = (
        DeskConversation.thread_id == thread_id
        if thread_id is not None
        else DeskConversation.emergency_id == emergency_id
    )
    found = tx.orm.scalars(select(DeskConversation).where(same)).one_or_none()
    if found is None:
        row = {"thread_id": thread_id, "emergency_id": emergency_id, "source_id": random_text(24), "created_at": now}
        insert_new(tx, DeskConversation, [row], DeskConversation.id)
        found = tx.orm.scalars(select(DeskConversation).where(same)).one()
    return found


def move_conversation(tx: Transaction, kept: int, other: int) -> None:
    """Two threads are joined: the one that stays has its own conversation, or takes that of the other."""
    mine = tx.orm.scalar(select(DeskConversation.id).where(DeskConversation.thread_id == kept))
    theirs = update(DeskConversation).where(DeskConversation.thread_id == other)
    tx.orm.execute(theirs.values(thread_id=kept if mine is None else None))


def take(tx: Transaction, row_id: int, now: datetime) -> bool:
    """Whether the caller now has it to itself, until `release` or the end of the lease."""
    done = tx.orm.execute(
        update(DeskConversation)
        .where(DeskConversation.id == row_id)
        .where(or_(DeskConversation.busy_until.is_(None), DeskConversation.busy_until <= now))
        .values(busy_until=now + LEASE)
    )
    assert isinstance(done, CursorResult)
    return bool(done.rowcount)


def release(tx: Transaction, row_id: int) -> None:
    tx.orm.execute(update(DeskConversation).where(DeskConversation.id == row_id).values(busy_until=None))


def give_number(tx: Transaction, row_id: int, conversation_id: int) -> None:
    """The platform has just said that this is the row's number. Another row that has it is from before the platform
    was made anew, and has none now."""
    same = (DeskConversation.conversation_id == conversation_id, DeskConversation.id != row_id)
    tx.orm.execute(update(DeskConversation).where(*same).values(conversation_id=None))
    tx.orm.execute(
        update(DeskConversation).where(DeskConversation.id == row_id).values(conversation_id=conversation_id)
    )


def begin_anew(tx: Transaction, row_id: int) -> None:
    """The platform does not know its contact any more: its numbers may be somebody else's. What was said there stays
    with the old contact; the new one begins with what is written from now on."""
    nothing = {"conversation_id": None, "read_id": 0, "reply_id": None, "is_resolved": False}
    mine = update(DeskConversation).where(DeskConversation.id == row_id)
    tx.orm.execute(mine.values(source_id=random_text(24), **nothing))


def with_number(tx: Transaction, conversation_id: int) -> DeskConversation | None:
    """The one that has this number at the platform."""
    same = DeskConversation.conversation_id == conversation_id
    return tx.orm.scalars(select(DeskConversation).where(same)).one_or_none()


SEND_THREAD = "mesa.hilo"
READ_DESK = "mesa.lectura"
WRITE_STATE = "mesa.estado"
REFUSE = "mesa.rechazo"
OPEN_EMERGENCY = "mesa.emergencia"
SWEEP = "mesa.repaso"
# `about` of an agent's answer, with the number of its conversation in our table.
ABOUT = "mesa:"
# Of a conversation with or about somebody in an emergency.
EMERGENCY_LABEL = "emergencia"
# What happens to the conversation of an emergency besides what agents do: it stands before the team on call.
PLACED = "placed"


def on_received(tx: Transaction, received: ReceivedMessage) -> bool:
    """Called in the transaction that stores a message from somebody. That it goes to the desk does not handle it."""
    put_thread(tx, received.thread.id)
    return False


def on_state(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """An agent's answer got a new state: it is written back, and the next answer may go."""
    if not message.about.startswith(ABOUT):
        return
    put(tx, WRITE_STATE, {"message_id": message.id}, key=f"{WRITE_STATE}:{message.id}")
    put_read(tx, int(message.about.removeprefix(ABOUT)))


def put_refusal(tx: Transaction, row: DeskConversation, message_id: int, reason: str) -> None:
    """An agent's answer is not sent: she reads this sentence at her message. `message_id` is the platform's."""
    payload = {"id": row.id, "source_id": row.source_id, "message_id": message_id, "reason": reason}
    put(tx, REFUSE, payload, key=f"{REFUSE}:{row.source_id}:{message_id}")


def put_thread(tx: Transaction, thread_id: int, at: datetime | None = None) -> None:
    put(tx, SEND_THREAD, {"thread_id": thread_id}, at=at, key=f"{SEND_THREAD}:{thread_id}")


def put_read(tx: Transaction, row_id: int, at: datetime | None = None) -> None:
    put(tx, READ_DESK, {"id": row_id}, at=at, key=f"{READ_DESK}:{row_id}")


def put_emergency(
    tx: Transaction,
    emergency_id: int,
    labels: Sequence[str],
    *,
    unanswered: bool,
    again: int = 0,
    handed_back: int = 0,
) -> None:
    """Puts an emergency before the desk: for its knowledge when it begins, for the team on call when nobody answers.
    `again` is another number each time that whoever was coming withdrew after the team had been called, `handed_back`
    each time that whoever of staff had it handed it back."""
    payload = {"emergency_id": emergency_id, "labels": list(labels), "unanswered": unanswered}
    payload |= {"again": again, "handed_back": handed_back}
    key = f"{OPEN_EMERGENCY}:{emergency_id}:{'unanswered' if unanswered else 'begun'}"
    key += (f":{again}" if again else "") + (f":back:{handed_back}" if handed_back else "")
    put(tx, OPEN_EMERGENCY, payload, key=key, urgent=unanswered)


def number_for_emergency(tx: Transaction, emergency_id: int) -> int | None:
    """Of its conversation at the platform; None until it is there."""
    query = select(DeskConversation.conversation_id).where(DeskConversation.emergency_id == emergency_id)
    return tx.orm.scalar(query)


def conversation_address(settings: Settings, number: int) -> str:
    """Where an agent reads it: at the platform, or on the page of the sandbox."""
    if not settings.chatwoot_base_url:
        return f"{settings.public_url}/sandbox#mesa-{number}"
    return f"{settings.chatwoot_url}/app/accounts/{settings.chatwoot_account_id}/conversations/{number}"


def read_soon(tx: Transaction, conversation_id: int) -> bool:
    """The platform told that something happened there: whether it is one of ours."""
    found = with_number(tx, conversation_id)
    if found is not None:
        put_read(tx, found.id)
    return found is not None
