"""A person has another number, which the platform tells us once: her thread moves there, with all that she said about
our messages, or is joined to the thread that has that number already."""

from sqlalchemy import select, update

from ficha.core.crypto import Keyring
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.messaging.joined_threads import join_threads
from ficha.messaging.messages import MessageHooks
from ficha.messaging.number_spellings import spellings
from ficha.messaging.threads import Thread


def move_thread(
    tx: Transaction, keyring: Keyring, thread: Thread, old: str, new: str, hooks: MessageHooks
) -> Thread | None:
    """`thread` is the person's. Returns the thread that went, if another had the number. What comes late, about a
    number that she no longer had, moves nothing."""
    if thread.wa_id is not None and thread.wa_id not in spellings(old):
        return None
    there = select(Thread).where(Thread.phone_number_id == thread.phone_number_id, Thread.id != thread.id)
    other = tx.orm.scalars(there.where(Thread.wa_id.in_(spellings(new))).order_by(Thread.id).limit(1)).one_or_none()
    is_of_another = other is not None and None not in (other.user_id, thread.user_id)
    if other is not None and is_of_another and other.user_id != thread.user_id:
        # Whose number it was is known by a user id of their own.
        tx.orm.execute(update(Thread).where(Thread.id == other.id).values(wa_id=None))
        tx.orm.expire(other)
        other = None
    if other is not None:
        join_threads(tx, keyring, thread, other, hooks.joined)
    thread.wa_id = new
    tx.orm.flush()
    log().info("whatsapp.number_changed", thread_id=thread.id)
    return other
