"""Every prepared statement of messaging, each behind the function that runs it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast
from zlib import crc32

from sqlalchemy import (
    Boolean,
    Table,
    and_,
    bindparam,
    case,
    column,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    text,
    update,
)

from ficha.channels.messages import DeliveryStatus
from ficha.core.list_parameters import one_of
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.transaction import Transaction
from ficha.messaging.tables import (
    KnownStatus,
    KnownTemplate,
    Message,
    MessageRow,
    MessageState,
    Notification,
    NotificationRow,
    SendBudget,
    Thread,
    ThreadRow,
)

Rows = Sequence[Mapping[str, Any]]
_threads, _messages = cast(Table, Thread.__table__), cast(Table, Message.__table__)
_notifications, _budgets = cast(Table, Notification.__table__), cast(Table, SendBudget.__table__)

# Threads

# The number of ours stands twice: SQLite would use its index alone, and read all threads of that number.
_AT = _threads.c.phone_number_id == bindparam("number")
_OF_PEOPLE = or_(and_(_AT, one_of(_threads.c.wa_id, "wa_ids")), and_(_AT, one_of(_threads.c.user_id, "user_ids")))
_LOAD_THREADS = select(Thread).where(_OF_PEOPLE)
_find = select(*(_threads.c[name] for name in ThreadRow._fields)).where(_OF_PEOPLE)
_FIND_THREADS = Prepared(_find, row=ThreadRow)
_FIND_TO_WRITE = Prepared(_find.with_for_update(read=True, key_share=True), row=ThreadRow)
_THREAD_COLUMNS = ("name", "phone_number_id", "wa_id", "user_id", "key_id", "wrapped_key", "created_at")
_IS_INCOMPLETE = or_(_threads.c.wa_id.is_(None), _threads.c.user_id.is_(None))
_LOCK_INCOMPLETE = Prepared(
    select(_threads.c.id).where(one_of(_threads.c.id, "ids"), _IS_INCOMPLETE).with_for_update(skip_locked=True)
)
_COMPLETE = Prepared(
    update(_threads)
    .where(_threads.c.id == bindparam("thread"))
    .values(wa_id=bindparam("its_wa_id"), user_id=bindparam("its_user_id"))
)


def find_threads(
    tx: Transaction, number: str, wa_ids: Collection[str], user_ids: Collection[str], *, to_write: bool = False
) -> list[ThreadRow]:
    """Those that have one of these. `to_write`: until the transaction ends nobody joins them to others, which would
    delete them."""
    statement = _FIND_TO_WRITE if to_write else _FIND_THREADS
    return tx.all(statement, number=number, wa_ids=wa_ids, user_ids=user_ids)


def load_threads(tx: Transaction, number: str, wa_ids: Collection[str], user_ids: Collection[str]) -> list[Thread]:
    """The same as mapped objects, to be changed."""
    return list(tx.orm.scalars(_LOAD_THREADS, {"number": number, "wa_ids": wa_ids, "user_ids": user_ids}))


def create_threads(tx: Transaction, rows: Rows) -> None:
    """Those that are not there yet."""
    tx.run_many(insert_if_new(tx.dialect.name, _threads, _THREAD_COLUMNS), rows)


def lock_incomplete_threads(tx: Transaction, ids: Collection[int]) -> set[int]:
    """Those of them that lack the number or the user id, without those that somebody writes into at this moment: who
    waited here could hold what the other waits for."""
    return {row.id for row in tx.all(_LOCK_INCOMPLETE, ids=list(ids))} if ids else set()


def complete_threads(tx: Transaction, rows: Rows) -> None:
    if rows:
        tx.run_many(_COMPLETE, rows)


# Messages

# An outer join: who waited for a message's row while its thread was joined to another still finds the message.
_LOCK = (
    select(
        *(_messages.c[name] for name in MessageRow._fields if name != "thread"),
        *(_threads.c[name].label(f"thread_{name}") for name in ThreadRow._fields),
    )
    .select_from(_messages.outerjoin(_threads, _threads.c.id == _messages.c.thread_id))
    .order_by(_messages.c.id)
    .with_for_update(of=_messages)
)
_LOCK_MESSAGES = Prepared(_LOCK.where(one_of(_messages.c.id, "ids")))
_LOCK_NAMED = Prepared(
    _LOCK.where(
        _messages.c.is_ours.is_(True), or_(one_of(_messages.c.provider_id, "names"), one_of(_messages.c.key, "keys"))
    )
)
_FIND_ONCE = Prepared(select(_messages.c.id).where(_messages.c.once == bindparam("reason")))
_WHAT = ("key", "once", "thread_id", "type", "about", "record_id", "reply_to", "asked_by", "sealed", "sealed_fallback")
_HOW = ("is_secret", "is_urgent", "is_said_once", "at", "expires_at")
_INSERT_MESSAGE = Prepared(
    insert(_messages)
    .values(is_ours=True, is_test=False, state=MessageState.QUEUED, attempts=0, pair_hits=0, has_turn=False)
    .returning(_messages.c.id),
    (*_WHAT, *_HOW),
)
_THIS = _messages.c.id == bindparam("message")
_NOTE_CALL = Prepared(
    update(_messages)
    .where(_THIS)
    .values(
        has_turn=False,
        attempts=_messages.c.attempts + 1,
        in_doubt_at=bindparam("now"),
        next_try_at=None,
        repeated_at=bindparam("again"),
    )
)
_NOTE_TURN = Prepared(update(_messages).where(_THIS).values(has_turn=True, next_try_at=bindparam("turn")))
# Nobody but us is concerned by a message that is about nothing, and whose statuses are all still to come.
_NOTE_ACCEPTED = Prepared(
    update(_messages)
    .where(_THIS, _messages.c.state == MessageState.QUEUED, _messages.c.about == "", _messages.c.is_secret.is_(False))
    .where(~exists().where(KnownStatus.provider_id == bindparam("name")))
    .values(
        provider_id=bindparam("name"),
        state=MessageState.ACCEPTED,
        accepted_at=bindparam("now"),
        in_doubt_at=None,
        next_try_at=None,
    )
)
_PROGRESS = ("provider_id", "state", "accepted_at", "sent_at", "delivered_at", "read_at")
_HAS_ARRIVED = bindparam("its_state", type_=_messages.c.state.type).in_((MessageState.DELIVERED, MessageState.READ))
# Whoever has a state from accepted on is in doubt no longer, and not tried again.
_SAVE_PROGRESS = Prepared(
    update(_messages)
    .where(_THIS)
    .values({name: bindparam(f"its_{name}") for name in _PROGRESS})
    .values(in_doubt_at=None, next_try_at=None)
    # What reached the person did not fail, whatever was said before.
    .values(
        {each: case((_HAS_ARRIVED, None), else_=_messages.c[each]) for each in ("failed_at", "error", "error_code")}
    )
)
_ERASE = Prepared(update(_messages).where(_THIS).values(sealed=None, sealed_fallback=None))


def lock_messages(tx: Transaction, ids: Collection[int]) -> list[MessageRow]:
    return [_message(row) for row in tx.all(_LOCK_MESSAGES, ids=ids)]


def lock_named_messages(tx: Transaction, names: Collection[str], keys: Collection[str]) -> list[MessageRow]:
    """Our messages that the platform calls by one of these names, or that have one of these keys."""
    return [_message(row) for row in tx.all(_LOCK_NAMED, names=names, keys=keys)]


def _message(row: Any) -> MessageRow:
    of_message = len(MessageRow._fields) - 1
    thread = None if row.thread_id is None else ThreadRow(*row[of_message:])
    return MessageRow._make((*row[:of_message], thread))


def message_queued_for(tx: Transaction, once: str) -> int | None:
    """The id of the message that was queued for this reason."""
    found = tx.first(_FIND_ONCE, reason=once)
    return None if found is None else found.id


def insert_queued(tx: Transaction, **values: Any) -> int:
    message_id: int = tx.first(_INSERT_MESSAGE, **values).id
    return message_id


def note_calls(tx: Transaction, called: Collection[MessageRow], now: datetime) -> None:
    """Calls are under way: until their results are known, the messages are in doubt. One that was in doubt already is
    sent a second time, which its row says."""
    tx.run_many(
        _NOTE_CALL,
        [
            {"message": each.id, "now": now, "again": each.repeated_at if each.in_doubt_at is None else now}
            for each in called
        ],
    )


def note_turn(tx: Transaction, message_id: int, at: datetime) -> None:
    """A send within the platform's limits is reserved for it."""
    tx.run(_NOTE_TURN, message=message_id, turn=at)


def note_accepted(tx: Transaction, message_id: int, provider_id: str, now: datetime) -> bool:
    """False, and nothing is changed, if more has to be done about it than this."""
    return tx.changed(_NOTE_ACCEPTED, message=message_id, name=provider_id, now=now) > 0


def save_progress(tx: Transaction, message: MessageRow) -> None:
    values = {f"its_{name}": getattr(message, name) for name in _PROGRESS}
    tx.run(_SAVE_PROGRESS, message=message.id, **values | {"its_state": str(message.state)})


def erase_content(tx: Transaction, message_id: int) -> None:
    tx.run(_ERASE, message=message_id)


# Statuses

_LOCK_PROVIDER_ID = Prepared(text("SELECT pg_advisory_xact_lock(723502, CAST(:hash AS integer))"), only="postgresql")
_FIND_STATUSES = Prepared(
    select(KnownStatus.progress, KnownStatus.at, KnownStatus.error_code).where(
        KnownStatus.provider_id == bindparam("name")
    )
)


def lock_provider_ids(tx: Transaction, provider_ids: Iterable[str]) -> None:
    """For whoever stores a status or the platform's id of a message, until the end of the transaction and before it
    locks a message. Otherwise the two could each miss what the other has not committed yet, and the status be lost."""
    if tx.is_sqlite:
        return  # It has one writer at a time.
    for provider_id in sorted(provider_ids):
        tx.run(_LOCK_PROVIDER_ID, hash=crc32(provider_id.encode()) - 2**31)


def known_statuses(tx: Transaction, provider_id: str | None) -> list[tuple[DeliveryStatus, datetime, int | None]]:
    """Each with its time and its error code."""
    return [(DeliveryStatus(progress), at, code) for progress, at, code in tx.all(_FIND_STATUSES, name=provider_id)]


# Notifications

# One process processes notifications at a time, so that each person's messages stay in order.
_LOCK_PROCESSING = Prepared(
    text("SELECT pg_try_advisory_xact_lock(723501) AS is_ours").columns(column("is_ours")), only="postgresql"
)
_WAIT_FOR_PROCESSING = Prepared(text("SELECT pg_advisory_xact_lock(723501)"), only="postgresql")
_NOTIFICATION_COLUMNS = NotificationRow._fields[:-1]
# Few enough that other writers do not wait long for the transaction that processes them.
MOST_ITEMS = 50
_FIND_WAITING = Prepared(
    select(_notifications.c.id, func.length(_notifications.c.sealed).label("length"))
    .where(_notifications.c.processed_at.is_(None))
    .order_by(_notifications.c.id)
    .limit(MOST_ITEMS)
)
_THESE = one_of(_notifications.c.id, "ids")
_READ_NOTIFICATIONS = Prepared(
    select(*(_notifications.c[name] for name in NotificationRow._fields))
    .where(_THESE, _notifications.c.processed_at.is_(None))
    .order_by(_notifications.c.id),
    row=NotificationRow,
)
_LOCK_WAITING = Prepared(
    select(_notifications.c.id, _notifications.c.done)
    .where(_THESE, _notifications.c.processed_at.is_(None))
    .order_by(_notifications.c.id)
    .with_for_update()
)
# In the place of the sealed body once it was read whole.
_NOTHING_LEFT = b""
# Of a notification that was read whole only the digest is kept, so that it does not count twice: what people write is
# then in their messages alone, and is erased with them. Any other is kept as it came.
_MARK_PROCESSED = Prepared(
    update(_notifications)
    .where(_notifications.c.id == bindparam("notification"))
    .values(
        done=bindparam("end"),
        processed_at=bindparam("moment"),
        unreadable=_notifications.c.unreadable + bindparam("failed"),
        kind=func.coalesce(_notifications.c.kind, bindparam("what", type_=_notifications.c.kind.type)),
        sealed=case(
            (and_(bindparam("is_read", type_=Boolean), _notifications.c.unreadable == 0), literal(_NOTHING_LEFT)),
            else_=_notifications.c.sealed,
        ),
    )
)


def lock_processing(tx: Transaction) -> bool:
    """False if another process processes notifications at this moment. On SQLite only one writes."""
    return tx.is_sqlite or bool(tx.first(_LOCK_PROCESSING).is_ours)


def wait_for_processing(tx: Transaction) -> None:
    """Whoever processes notifications has this lock: no message comes into a thread while it goes."""
    if not tx.is_sqlite:
        tx.run(_WAIT_FOR_PROCESSING)


def insert_notifications(tx: Transaction, rows: Iterable[NotificationRow]) -> None:
    """Those that are not there yet."""
    values = [dict(zip(_NOTIFICATION_COLUMNS, row, strict=False)) for row in rows]
    tx.run_many(insert_if_new(tx.dialect.name, _notifications, _NOTIFICATION_COLUMNS), values)


def waiting_notifications(tx: Transaction) -> list[tuple[int, int]]:
    """The oldest: the id of each, and its length."""
    return tx.all(_FIND_WAITING)


def read_notifications(tx: Transaction, ids: Collection[int]) -> list[NotificationRow]:
    """Those that still wait. Another process may have read and emptied the others since their ids were found."""
    return tx.all(_READ_NOTIFICATIONS, ids=ids) if ids else []


def lock_waiting(tx: Transaction, ids: Collection[int]) -> dict[int, int]:
    """How many items are done, of each that is not processed."""
    return dict(tx.all(_LOCK_WAITING, ids=ids))


def mark_processed(tx: Transaction, rows: Rows) -> None:
    tx.run_many(_MARK_PROCESSED, rows)


# Templates and limits

_FIND_TEMPLATE = Prepared(
    select(KnownTemplate.facts).where(
        KnownTemplate.name == bindparam("template"), KnownTemplate.language == bindparam("spoken")
    )
)
# In one order, so that two who reserve sends to the same people do not wait for each other.
_LOCK_BUDGETS = Prepared(
    select(_budgets).where(one_of(_budgets.c.name, "names")).order_by(_budgets.c.name).with_for_update()
)
_CHANGE_BUDGET = Prepared(
    update(_budgets)
    .where(_budgets.c.name == bindparam("budget"))
    .values(tokens=bindparam("left"), at=bindparam("moment"))
)


def template_facts(tx: Transaction, name: str, language: str) -> dict[str, Any] | None:
    found = tx.first(_FIND_TEMPLATE, template=name, spoken=language)
    return None if found is None else found.facts


def lock_budgets(tx: Transaction, names: Collection[str]) -> dict[str, tuple[float, datetime]]:
    """How many tokens were left, and when."""
    return {row.name: (row.tokens, row.at) for row in tx.all(_LOCK_BUDGETS, names=list(names))}


def insert_budgets(tx: Transaction, rows: Rows) -> None:
    """Those that are not there yet."""
    tx.run_many(insert_if_new(tx.dialect.name, _budgets, ("name", "tokens", "at")), rows)


def change_budgets(tx: Transaction, rows: Rows) -> None:
    tx.run_many(_CHANGE_BUDGET, rows)
