"""Joins two threads that turn out to be one person's: one was known by the number, the other by the user id."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update

from ficha.core.crypto import Keyring, seal, unseal
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import JoinHook, Message, put_send_job
from ficha.messaging.threads import Person, Thread


def join_threads(tx: Transaction, keyring: Keyring, kept: Thread, other: Thread, hooks: Sequence[JoinHook]) -> None:
    """Moves everything of `other` to `kept`: messages, which are sealed anew, opt-out, window and account. The
    number is that of `other`, where the person is now; an emergency goes by its messages."""
    old, new = other.open_key(keyring), kept.open_key(keyring)
    tx.orm.flush()
    # Who queues a message for one of them ends first, or comes afterwards and finds the one that stays.
    tx.orm.execute(select(Thread.id).where(Thread.id.in_((kept.id, other.id))).order_by(Thread.id).with_for_update())
    here = select(Message).where(Message.thread_id == other.id).with_for_update().order_by(Message.id)
    for message in tx.orm.scalars(here.execution_options(populate_existing=True)):
        message.thread_id = kept.id
        if message.sealed is not None:
            message.sealed = seal(new, unseal(old, message.sealed, message.place), message.place)
        if message.sealed_fallback is not None:
            place = f"{message.place}:fallback"
            message.sealed_fallback = seal(new, unseal(old, message.sealed_fallback, place), place)
        if message.state == MessageState.QUEUED:
            # A job that just waits for this row will not find it with its old thread, and end.
            put_send_job(tx, message.id, message.is_urgent)
    tx.orm.flush()
    _take_over(kept, other)
    wa_id, user_id = other.wa_id or kept.wa_id, kept.user_id or other.user_id
    for hook in hooks:
        hook(tx, kept.id, other.id)
    # The two may not have the same number for a moment either: it is unique.
    tx.orm.execute(update(Thread).where(Thread.id == other.id).values(wa_id=None, user_id=None))
    tx.orm.delete(other)
    tx.orm.flush()
    kept.wa_id, kept.user_id = wa_id, user_id
    log().info("whatsapp.threads_joined", thread_id=kept.id, gone=other.id)


def _take_over(kept: Thread, other: Thread) -> None:
    """The later word about our messages counts; of two at the same time, the one that stops them."""
    times = [_word_at(kept), _word_at(other)]
    known = [at for at in times if at is not None]
    if known:
        latest = max(known)
        says = [thread for thread, at in zip((kept, other), times, strict=True) if at == latest]
        stops = [thread.stopped_at for thread in says if thread.stopped_at is not None]
        kept.opt_out_at, kept.stopped_at = latest, stops[0] if stops else None
    inbound = [at for at in (kept.last_inbound_at, other.last_inbound_at) if at is not None]
    kept.last_inbound_at = max(inbound, default=None)
    kept.account_id = kept.account_id or other.account_id
    kept.created_at = min(kept.created_at, other.created_at)


def _word_at(thread: Thread) -> datetime | None:
    return thread.opt_out_at or thread.stopped_at


def fill_in(tx: Transaction, thread: Thread, person: Person) -> None:
    """The number or the user id that the thread did not know, unless another thread has it."""
    for name, value in (("wa_id", person.wa_id), ("user_id", person.user_id)):
        if value is not None and getattr(thread, name) is None and not _is_taken(tx, thread, name, value):
            setattr(thread, name, value)


def _is_taken(tx: Transaction, thread: Thread, name: str, value: str) -> bool:
    column = getattr(Thread, name)
    same = select(Thread.id).where(Thread.phone_number_id == thread.phone_number_id, column == value)
    return tx.orm.scalar(same) is not None
