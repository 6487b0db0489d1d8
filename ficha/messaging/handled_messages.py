"""Messages from others that somebody or something has handled: the person sees them as read."""

from datetime import datetime

from sqlalchemy import select, update

from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.tables import Message, Thread

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
                Message.thread_id == found.thread_id,
                Message.id <= found.id,
                from_others,
                Message.dealt_at.is_(None),
            )
            .values(dealt_at=now)
        )
