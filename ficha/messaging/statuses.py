"""Statuses of our messages. Each counts once; a status of a message that we do not know yet is kept for it."""

from collections.abc import Sequence
from datetime import datetime

from ficha.channels.messages import DeliveryStatus, StatusUpdate
from ficha.core.db import insert_new
from ficha.core.transaction import Transaction
from ficha.messaging.failures import FailureHandler
from ficha.messaging.messages import advance
from ficha.messaging.notifications import possible_time
from ficha.messaging.statements import known_statuses, lock_named_messages, lock_provider_ids
from ficha.messaging.tables import STATE_OF_STATUS, KnownStatus, Message, MessageRow
from ficha.messaging.threads import Person


def apply_statuses(
    tx: Transaction, failures: FailureHandler, updates: Sequence[StatusUpdate], now: datetime
) -> list[tuple[str, Person]]:
    """Applies the statuses that are new, in the caller's transaction. Returns whom they name, for
    `note_same_people`, but for those whose thread has them whole."""
    # One with our key finds its message by it, and waits for the message's row.
    lock_provider_ids(tx, {update.provider_id for update in updates if not update.key})
    by_key = {(update.provider_id, str(update.status)): update for update in updates}
    rows = [
        {
            "provider_id": provider_id,
            "progress": status,
            "at": possible_time(update.at, now),
            "received_at": now,
            "error_code": update.error_code,
        }
        for (provider_id, status), update in sorted(by_key.items(), key=lambda item: item[0])
    ]
    new = {tuple(row) for row in insert_new(tx, KnownStatus, rows, KnownStatus.provider_id, KnownStatus.progress)}
    new_updates = [update for key, update in by_key.items() if key in new]
    names, keys = [update.provider_id for update in new_updates], [update.key for update in new_updates if update.key]
    found = {each.key: each for each in (lock_named_messages(tx, names, keys) if new_updates else ())}
    key_by_name = {each.provider_id: each.key for each in found.values()}
    people = []
    for update in new_updates:
        message = found.get(key_by_name.get(update.provider_id) or update.key or "")
        thread = None if message is None else message.thread
        known = Person() if thread is None else Person(thread.wa_id, thread.user_id)
        # Where the status names only the user id, the number is the one that we wrote to.
        told = Person(update.wa_id or known.wa_id, update.user_id)
        if told != known:
            people.append((update.phone_number_id, told))
        if message is None or message.provider_id not in (None, update.provider_id):
            continue  # Not ours, not accepted yet, or accepted twice and this is a status of the other.
        if message.provider_id is None:
            # It comes before the answer to our own call, or without any answer if the call timed out. Others without
            # our key may have come before it.
            message = apply_earlier_statuses(tx, failures, message._replace(provider_id=update.provider_id), now)
        else:
            at = possible_time(update.at, now)
            message = _apply_status(tx, failures, message, update.status, at, update.error_code, now)
        found[message.key] = message
    return people


def apply_earlier_statuses(tx: Transaction, failures: FailureHandler, message: MessageRow, now: datetime) -> MessageRow:
    """Applies the statuses that came before we knew the platform's id of this message."""
    for status, at, error_code in known_statuses(tx, message.provider_id):
        message = _apply_status(tx, failures, message, status, at, error_code, now)
    return message


def _apply_status(
    tx: Transaction,
    failures: FailureHandler,
    message: MessageRow,
    status: DeliveryStatus,
    at: datetime,
    error_code: int | None,
    now: datetime,
) -> MessageRow:
    if status is not DeliveryStatus.FAILED:
        return advance(tx, failures.hooks, message, STATE_OF_STATUS[status], at, now)
    fresh = {"populate_existing": True}
    failed = tx.orm.get_one(Message, message.id, with_for_update=True, execution_options=fresh)
    failed.provider_id = message.provider_id
    failures.fail(tx, failed, now, at=at, code=error_code)
    return message._replace(state=failed.state, error=failed.error, replaced_by=failed.replaced_by)
