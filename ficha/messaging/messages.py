"""Messages of ours: how to queue one, how it comes forward from accepted to read, and who is told. What fails is in
failures.py."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import joinedload

from ficha.channels.messages import Content, Incoming, Media, Template
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.ids import random_text
from ficha.core.transaction import Transaction
from ficha.events.events import STAFF, NewEvent
from ficha.events.publish import publish_all
from ficha.jobs.queue import put
from ficha.messaging.message_content import NAMES, sealed_content
from ficha.messaging.statements import erase_content, insert_queued, message_queued_for, save_progress
from ficha.messaging.tables import RANK, Message, MessageRow, MessageState, Thread, message_context
from ficha.messaging.threads import thread_row_at

SEND = "whatsapp.envio"
# `about` of the one message that is still sent to somebody who stopped our messages.
STOP_CONFIRMATION = "baja"
KEY_LENGTH = 24
# A message that could not be sent within a day is not sent any more.
EXPIRES_AFTER = timedelta(hours=24)


# Called in the transaction in which a message of ours that is `about` something gets a new state.
StateHook = Callable[[Transaction, MessageRow, datetime], None]
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
    """A message that somebody wrote, as it came and as it is stored, and the message of ours that it answers."""

    message: Message
    incoming: Incoming
    thread: Thread
    now: datetime
    answers: Message | None = None

    @property
    def words(self) -> str | None:
        return self.incoming.words

    @property
    def payload(self) -> str | None:
        return self.incoming.payload

    @property
    def edits(self) -> str | None:
        """The platform's id of the person's own earlier message that it changes or takes back."""
        return self.incoming.edits


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
    if once is not None and (known := message_queued_for(tx, once)) is not None:
        return known
    thread = thread_row_at(tx, keyring, phone_number_id, to, now)
    if thread.stopped_at is not None and about != STOP_CONFIRMATION:
        raise ContactStopped
    data_key, key = thread.open_key(keyring), random_text(KEY_LENGTH)
    context = message_context(key)
    message_id = insert_queued(
        tx,
        key=key,
        once=once,
        thread_id=thread.id,
        type=content.kind if isinstance(content, Media) else NAMES[type(content)],
        about=about,
        record_id=record_id,
        reply_to=reply_to,
        sealed=sealed_content(data_key, content, context),
        sealed_fallback=None if fallback is None else sealed_content(data_key, fallback, f"{context}:fallback"),
        is_secret=is_secret,
        is_urgent=is_urgent,
        asked_by=asked_by,
        at=now,
        expires_at=expires_at or now + EXPIRES_AFTER,
        is_said_once=is_said_once,
    )
    put_send_job(tx, message_id, is_urgent)
    return message_id


def queue_message(tx: Transaction, *asked: Any, **options: Any) -> Message:
    """As `queue_row`, for who wants to see the message afterwards: it is read again, with its thread."""
    return tx.orm.get_one(Message, queue_row(tx, *asked, **options), options=[joinedload(Message.thread)])


def put_send_job(tx: Transaction, message_id: int, is_urgent: bool, at: datetime | None = None) -> None:
    put(tx, SEND, {"message_id": message_id}, at=at, key=f"{SEND}:{message_id}", urgent=is_urgent)


def publish_state(tx: Transaction, ids: Iterable[int], state: str, about: str, now: datetime) -> None:
    payloads = [{"id": message_id, "state": state, "about": about} for message_id in ids]
    publish_all(tx, [NewEvent("message.state", payload, now, STAFF) for payload in payloads])


def call_state_hooks(tx: Transaction, hooks: MessageHooks, message: MessageRow, now: datetime) -> None:
    if message.about:
        for state_changed in hooks.state_changed:
            state_changed(tx, message, now)


def advance(
    tx: Transaction, hooks: MessageHooks, message: MessageRow, state: MessageState, at: datetime, now: datetime
) -> MessageRow:
    """Notes that a message reached this state, which is not `failed`. If that is a later state than before, it is
    published and the hooks are called. The caller may have set its `provider_id`."""
    name, before = f"{state}_at", MessageState(message.state)
    known: datetime | None = getattr(message, name)
    reached = max(before, state, key=RANK.__getitem__)
    changes: dict[str, Any] = {name: at if known is None else min(known, at), "state": str(reached)}
    if RANK[reached] > RANK[MessageState.FAILED]:
        changes["error"] = None
    message = message._replace(**changes)
    with tx.together():
        save_progress(tx, message)
        if reached is not before and message.is_secret:
            erase_content(tx, message.id)
        if reached is not before:
            publish_state(tx, [message.id], message.state, message.about, now)
    if reached is not before:
        call_state_hooks(tx, hooks, message, now)
    return message


MARK_READ = "whatsapp.leido"


def mark_handled(tx: Transaction, message: Message, now: datetime) -> None:
    """Notes it, and puts the job that marks the message as read on the platform."""
    if message.dealt_at is None:
        message.dealt_at = now
        put(tx, MARK_READ, {"message_id": message.id}, key=f"{MARK_READ}:{message.id}")


def mark_thread_handled(tx: Transaction, thread: Thread, now: datetime) -> None:
    """Marks all messages of a thread, because an answer handles all of them. The platform marks the earlier ones as
    read together with the newest."""
    waiting = tx.orm.scalars(
        select(Message)
        .where(Message.thread_id == thread.id, Message.is_ours.is_(False), Message.dealt_at.is_(None))
        .where(Message.is_test.is_(False))
        .order_by(Message.id)
    ).all()
    for message in waiting[:-1]:
        message.dealt_at = now
    if waiting:
        mark_handled(tx, waiting[-1], now)


def mark_handled_up_to(tx: Transaction, provider_id: str, now: datetime) -> None:
    """Marks this message and the earlier ones of its thread, after a caller sent the read receipt directly."""
    from_others = Message.is_ours.is_(False)
    found = tx.orm.scalars(select(Message).where(Message.provider_id == provider_id, from_others)).one_or_none()
    if found is not None:
        tx.orm.execute(
            update(Message)
            .where(
                Message.thread_id == found.thread_id, Message.id <= found.id, from_others, Message.dealt_at.is_(None)
            )
            .values(dealt_at=now)
        )
