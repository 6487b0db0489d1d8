"""Messages, ours and those of others: the table, and how to queue one."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Boolean, ForeignKey, Index, Integer, LargeBinary, String, Table, bindparam, false, insert, select
from sqlalchemy.orm import Mapped, joinedload, mapped_column, relationship

from ficha.channels.messages import Content, Media, Template
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.ids import random_text
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.events.events import publish
from ficha.jobs.queue import put
from ficha.messaging.message_content import NAMES, sealed_content
from ficha.messaging.message_states import MessageState
from ficha.messaging.threads import Thread, thread_row_at

SEND = "whatsapp.envio"
# `about` of the one message that is still sent to somebody who stopped our messages.
STOP_CONFIRMATION = "baja"
KEY_LENGTH = 24
# A message that could not be sent within a day is not sent any more.
EXPIRES_AFTER = timedelta(hours=24)


class Message(Base):
    __tablename__ = "messages"
    __table_args__ = (Index("ix_messages_thread_id_id", "thread_id", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # Our own id for it. The platform returns it with every status.
    key: Mapped[str] = mapped_column(String(40), unique=True)
    # Names the reason: queueing twice for the same reason gives one message.
    once: Mapped[str | None] = mapped_column(String(120), unique=True)
    thread_id: Mapped[int] = mapped_column(ForeignKey("threads.id"))
    is_ours: Mapped[bool] = mapped_column(Boolean)
    is_test: Mapped[bool] = mapped_column(Boolean, default=False)
    type: Mapped[str] = mapped_column(String(40))
    # What it belongs to, such as a step of an emergency. A reply to it gets the same value.
    about: Mapped[str] = mapped_column(String(80), default="")
    # The record that it concerns (an alert, a notice, an answer to one). Staff see that it was sent, not what it says.
    record_id: Mapped[int | None] = mapped_column(BigId, index=True)
    provider_id: Mapped[str | None] = mapped_column(String(255), unique=True)
    reply_to: Mapped[str | None] = mapped_column(String(255))
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    sealed_fallback: Mapped[bytes | None] = mapped_column(LargeBinary)
    # The content is erased once the platform has accepted it.
    is_secret: Mapped[bool] = mapped_column(Boolean, default=False)
    asked_by: Mapped[int | None] = mapped_column(BigId)

    state: Mapped[str] = mapped_column(String(10))
    at: Mapped[datetime] = mapped_column(Utc)
    accepted_at: Mapped[datetime | None] = mapped_column(Utc)
    sent_at: Mapped[datetime | None] = mapped_column(Utc)
    delivered_at: Mapped[datetime | None] = mapped_column(Utc)
    read_at: Mapped[datetime | None] = mapped_column(Utc)
    failed_at: Mapped[datetime | None] = mapped_column(Utc)
    error_code: Mapped[int | None] = mapped_column(Integer)
    error: Mapped[str | None] = mapped_column(String(40))
    replaced_by: Mapped[int | None] = mapped_column(BigId)

    attempts: Mapped[int] = mapped_column(Integer, default=0)
    pair_hits: Mapped[int] = mapped_column(Integer, default=0)
    # A send within the platform's limits was reserved for `next_try_at`.
    has_turn: Mapped[bool] = mapped_column(Boolean, default=False)
    is_urgent: Mapped[bool] = mapped_column(Boolean, default=False)
    # Set while a call is under way, and kept if its outcome is unknown.
    in_doubt_at: Mapped[datetime | None] = mapped_column(Utc)
    next_try_at: Mapped[datetime | None] = mapped_column(Utc)
    # When it was sent a second time, because nothing told whether the first arrived. There is never a third.
    repeated_at: Mapped[datetime | None] = mapped_column(Utc)
    # In doubt it is not sent again: there are other ways to say it.
    is_said_once: Mapped[bool] = mapped_column(Boolean, server_default=false())
    expires_at: Mapped[datetime | None] = mapped_column(Utc)
    # Only for messages from others: the sender's clock was impossible, and `at` is the nearest possible time.
    is_time_clamped: Mapped[bool] = mapped_column(Boolean, server_default=false())
    # Only for messages from others: when somebody or something handled it.
    dealt_at: Mapped[datetime | None] = mapped_column(Utc)

    thread: Mapped[Thread] = relationship(lazy="raise")

    @property
    def place(self) -> str:
        return place_of(self.key)


def place_of(key: str) -> str:
    """Bound into the sealing of a message's content."""
    return f"message:{key}"


_messages = cast(Table, Message.__table__)
FIND_ONCE = Prepared(select(_messages.c.id).where(_messages.c.once == bindparam("reason")))
WHAT = ("key", "once", "thread_id", "is_ours", "is_test", "type", "about", "record_id", "reply_to", "asked_by")
SEALED = ("sealed", "sealed_fallback", "is_secret")
HOW = (*SEALED, "is_urgent", "state", "at", "attempts", "pair_hits", "has_turn", "expires_at", "is_said_once")
INSERT = Prepared(insert(_messages).returning(_messages.c.id), (*WHAT, *HOW))


@dataclass
class MessageProgress:
    """How far a message of ours has come, as values, and whose thread it is in."""

    id: int
    key: str
    about: str
    state: str
    provider_id: str | None
    is_secret: bool
    accepted_at: datetime | None
    sent_at: datetime | None
    delivered_at: datetime | None
    read_at: datetime | None
    error: str | None
    replaced_by: int | None
    wa_id: str | None
    user_id: str | None


# Called in the transaction in which a message of ours that is `about` something gets a new state.
StateHook = Callable[[Transaction, Message | MessageProgress, datetime], None]
# Called in the transaction that stores a message from somebody. Returns whether it handled the message.
ReceivedHook = Callable[[Transaction, "ReceivedMessage"], bool]

# Called in the transaction that notes that somebody called our number: the thread, and when.
CallHook = Callable[[Transaction, Thread, datetime, datetime], None]
# Called in the transaction that notes that somebody has another number.
MoveHook = Callable[[Transaction, "MovedNumber"], None]
# Called in the transaction that joins two threads: the id of the one that stays, and of the one that goes.
JoinHook = Callable[[Transaction, int, int], None]


@dataclass(frozen=True)
class MessageHooks:
    """Functions of other packages that are called about messages."""

    state_changed: list[StateHook] = field(default_factory=list)
    received: list[ReceivedHook] = field(default_factory=list)
    called: list[CallHook] = field(default_factory=list)
    joined: list[JoinHook] = field(default_factory=list)
    moved: list[MoveHook] = field(default_factory=list)


@dataclass(frozen=True)
class MovedNumber:
    """Both in digits. The message is the platform's, which told it."""

    message_id: int
    old: str
    new: str


@dataclass(frozen=True)
class ReceivedMessage:
    """A message that somebody wrote, and the message of ours that it answers, if any. `edits` is the platform's id of
    the person's own earlier message that it changes or takes back."""

    message: Message
    thread: Thread
    words: str | None
    payload: str | None
    answers: Message | None
    now: datetime
    edits: str | None = None


class ContactStopped(FichaError):
    status = 409
    code = "contacto_de_baja"
    message = "Esa persona pidió no recibir más mensajes por aquí."


def queue_row(
    tx: Transaction,
    keyring: Keyring,
    phone_number_id: str,
    to: str,
    content: Content,
    now: datetime,
    *,
    fallback: Template | None = None,
    once: str | None = None,
    about: str = "",
    record_id: int | None = None,
    reply_to: str | None = None,
    asked_by: int | None = None,
    expires_at: datetime | None = None,
    is_secret: bool = False,
    is_urgent: bool = False,
    is_said_once: bool = False,
) -> int:
    """Queues a message in the caller's transaction and returns its id. `to` is E.164 with its plus sign, or a user id.

    `fallback` is sent instead if the person's 24 hours are over. `once` names the reason: the same reason gives the
    message that was queued before. `is_said_once`: it is not sent again where nothing tells whether it arrived. Raises
    ContactStopped if the person stopped our messages.
    """
    if once is not None and (known := tx.first(FIND_ONCE, reason=once)) is not None:
        return cast(int, known.id)
    thread = thread_row_at(tx, keyring, phone_number_id, to, now)
    if thread.stopped_at is not None and about != STOP_CONFIRMATION:
        raise ContactStopped
    data_key, key = thread.open_key(keyring), random_text(KEY_LENGTH)
    place = place_of(key)
    message_id: int = tx.first(
        INSERT,
        key=key,
        once=once,
        thread_id=thread.id,
        is_ours=True,
        is_test=False,
        type=content.kind if isinstance(content, Media) else NAMES[type(content)],
        about=about,
        record_id=record_id,
        reply_to=reply_to,
        sealed=sealed_content(data_key, content, place),
        sealed_fallback=None if fallback is None else sealed_content(data_key, fallback, f"{place}:fallback"),
        is_secret=is_secret,
        is_urgent=is_urgent,
        asked_by=asked_by,
        state=str(MessageState.QUEUED),
        at=now,
        attempts=0,
        pair_hits=0,
        has_turn=False,
        expires_at=expires_at or now + EXPIRES_AFTER,
        is_said_once=is_said_once,
    ).id
    put_send_job(tx, message_id, is_urgent)
    return message_id


def queue_message(tx: Transaction, *asked: Any, **options: Any) -> Message:
    """As `queue_row`, for who wants to see the message afterwards: it is read again, with its thread."""
    return tx.orm.get_one(Message, queue_row(tx, *asked, **options), options=[joinedload(Message.thread)])


def put_send_job(tx: Transaction, message_id: int, is_urgent: bool, at: datetime | None = None) -> None:
    put(tx, SEND, {"message_id": message_id}, at=at, key=f"{SEND}:{message_id}", urgent=is_urgent)


def publish_state(tx: Transaction, message_id: int, state: str, about: str, now: datetime) -> None:
    publish(tx, "message.state", {"id": message_id, "state": state, "about": about}, now, staff=True)


def call_state_hooks(tx: Transaction, hooks: MessageHooks, message: Message | MessageProgress, now: datetime) -> None:
    if message.about:
        for state_changed in hooks.state_changed:
            state_changed(tx, message, now)
