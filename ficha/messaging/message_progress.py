"""How our messages come forward, from accepted to read, on their rows. What fails is in failures.py."""

from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import cast

from sqlalchemy import Table, bindparam, case, or_, select, update

from ficha.core.given_lists import one_of
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.messaging.message_states import RANK, MessageState
from ficha.messaging.messages import Message, MessageHooks, MessageProgress, call_state_hooks, publish_state
from ficha.messaging.threads import Thread

messages, threads = cast(Table, Message.__table__), cast(Table, Thread.__table__)
NAMES = tuple(each.name for each in fields(MessageProgress))
# An outer join: who waited for a message's row while its thread was joined to another still finds the message.
PROGRESS = select(
    *(threads.c[name] if name in ("wa_id", "user_id") else messages.c[name] for name in NAMES),
).select_from(messages.outerjoin(threads, threads.c.id == messages.c.thread_id))
OURS = messages.c.is_ours.is_(True)
TIMES = ("accepted_at", "sent_at", "delivered_at", "read_at")
THIS = messages.c.id == bindparam("message")
LOCK = Prepared(PROGRESS.where(THIS).with_for_update(of=messages))
LOCK_OURS = Prepared(
    PROGRESS.where(OURS, or_(one_of(messages.c.provider_id, "names"), one_of(messages.c.key, "keys")))
    .order_by(messages.c.id)
    .with_for_update(of=messages)
)
HAS_ARRIVED = bindparam("its_state", type_=messages.c.state.type).in_((MessageState.DELIVERED, MessageState.READ))
# Whoever has a state from accepted on is in doubt no longer, and not tried again.
SAVE = Prepared(
    update(messages)
    .where(THIS)
    .values({name: bindparam(f"its_{name}") for name in ("provider_id", "state", *TIMES)})
    .values(in_doubt_at=None, next_try_at=None)
    # What reached the person did not fail, whatever was said before.
    .values({name: case((HAS_ARRIVED, None), else_=messages.c[name]) for name in ("failed_at", "error", "error_code")})
)
ERASE = Prepared(update(messages).where(THIS).values(sealed=None, sealed_fallback=None))


def lock_progress(tx: Transaction, message_id: int) -> MessageProgress:
    return MessageProgress(*tx.first(LOCK, message=message_id))


def lock_progress_of(tx: Transaction, names: Sequence[str], keys: Sequence[str]) -> list[MessageProgress]:
    """Our messages that the platform calls by one of these names, or that have one of these keys."""
    return [MessageProgress(*row) for row in tx.all(LOCK_OURS, names=names, keys=keys)]


def advance(
    tx: Transaction, hooks: MessageHooks, message: MessageProgress, state: MessageState, at: datetime, now: datetime
) -> None:
    """Notes that a message reached this state, which is not `failed`. If that is a later state than before, it is
    published and the hooks are called. The caller may have set its `provider_id`."""
    known: datetime | None = getattr(message, f"{state}_at")
    setattr(message, f"{state}_at", at if known is None else min(known, at))
    is_later = RANK[state] > RANK[MessageState(message.state)]
    if is_later:
        message.state = state
    if RANK[MessageState(message.state)] > RANK[MessageState.FAILED]:
        message.error = None
    with tx.together():
        tx.run(
            SAVE,
            message=message.id,
            its_provider_id=message.provider_id,
            its_state=str(message.state),
            its_accepted_at=message.accepted_at,
            its_sent_at=message.sent_at,
            its_delivered_at=message.delivered_at,
            its_read_at=message.read_at,
        )
        if is_later and message.is_secret:
            tx.run(ERASE, message=message.id)
        if is_later:
            publish_state(tx, message.id, message.state, message.about, now)
    if is_later:
        call_state_hooks(tx, hooks, message, now)
