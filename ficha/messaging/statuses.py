"""Statuses of our messages. Each counts once; a status of a message that we do not know yet is kept for it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from zlib import crc32

from sqlalchemy import Integer, String, bindparam, select, text
from sqlalchemy.orm import Mapped, mapped_column

from ficha.channels.messages import DeliveryStatus, StatusUpdate
from ficha.core.db import Base, Utc, insert_new
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.messaging.failures import FailureHandler
from ficha.messaging.message_progress import advance, lock_progress_of
from ficha.messaging.message_states import STATE_OF_STATUS
from ficha.messaging.messages import Message, MessageProgress
from ficha.messaging.sender_clock import possible_time
from ficha.messaging.threads import Person

LOCK_PROVIDER_ID = Prepared(text("SELECT pg_advisory_xact_lock(723502, CAST(:hash AS integer))"), only="postgresql")


class KnownStatus(Base):
    """Its primary key makes a repeated status count once."""

    __tablename__ = "message_statuses"

    provider_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    progress: Mapped[str] = mapped_column(String(10), primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc)
    received_at: Mapped[datetime] = mapped_column(Utc)
    error_code: Mapped[int | None] = mapped_column(Integer)


EARLIER = Prepared(
    select(KnownStatus.progress, KnownStatus.at, KnownStatus.error_code).where(
        KnownStatus.provider_id == bindparam("name")
    )
)


def apply_statuses(
    tx: Transaction, failures: FailureHandler, updates: Sequence[StatusUpdate], now: datetime
) -> list[tuple[str, Person]]:
    """Applies the statuses that are new, in the caller's transaction. Returns whom they name, for `note_meetings`."""
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
    messages = _messages_of(tx, new_updates)
    for update in new_updates:
        message = messages.get(update.provider_id) or messages.get(update.key or "")
        if message is None or message.provider_id not in (None, update.provider_id):
            continue  # Not ours, not accepted yet, or accepted twice and this is a status of the other.
        if message.provider_id is None:
            # It comes before the answer to our own call, or without any answer if the call timed out. Others without
            # our key may have come before it.
            message.provider_id = update.provider_id
            apply_earlier_statuses(tx, failures, message, now)
        else:
            at = possible_time(update.at, now)
            apply_status(tx, failures, message, update.status, at, update.error_code, now)
    return list(_people_in(new_updates, messages))


def _people_in(
    updates: Sequence[StatusUpdate], messages: Mapping[str, MessageProgress]
) -> Iterator[tuple[str, Person]]:
    """Whom the statuses are about, but for those whose thread has them whole. Where one names only the user id, the
    number is the one that we wrote to."""
    for update in updates:
        message = messages.get(update.provider_id) or messages.get(update.key or "")
        known = Person() if message is None else Person(message.wa_id, message.user_id)
        told = Person(update.wa_id or known.wa_id, update.user_id)
        if told != known:
            yield update.phone_number_id, told


def lock_provider_ids(tx: Transaction, provider_ids: Iterable[str]) -> None:
    """For whoever stores a status or the platform's id of a message, until the end of the transaction and before it
    locks a message. Otherwise the two could each miss what the other has not committed yet, and the status be lost."""
    if tx.is_sqlite:
        return  # It has one writer at a time.
    for provider_id in sorted(provider_ids):
        tx.run(LOCK_PROVIDER_ID, hash=crc32(provider_id.encode()) - 2**31)


def apply_earlier_statuses(tx: Transaction, failures: FailureHandler, message: MessageProgress, now: datetime) -> None:
    """Applies the statuses that came before we knew the platform's id of this message."""
    for known in tx.all(EARLIER, name=message.provider_id):
        status = DeliveryStatus(known.progress)
        apply_status(tx, failures, message, status, known.at, known.error_code, now)


def apply_status(
    tx: Transaction,
    failures: FailureHandler,
    message: MessageProgress,
    status: DeliveryStatus,
    at: datetime,
    error_code: int | None,
    now: datetime,
) -> None:
    if status is not DeliveryStatus.FAILED:
        advance(tx, failures.hooks, message, STATE_OF_STATUS[status], at, now)
        return
    fresh = {"populate_existing": True}
    failed = tx.orm.get_one(Message, message.id, with_for_update=True, execution_options=fresh)
    failed.provider_id = message.provider_id
    failures.fail(tx, failed, now, at=at, code=error_code)
    message.state, message.error, message.replaced_by = failed.state, failed.error, failed.replaced_by


def _messages_of(tx: Transaction, updates: Sequence[StatusUpdate]) -> dict[str, MessageProgress]:
    """Our messages by their key and by the platform's id."""
    if not updates:
        return {}
    names = [update.provider_id for update in updates]
    found = lock_progress_of(tx, names, [update.key for update in updates if update.key])
    return {message.key: message for message in found} | {
        message.provider_id: message for message in found if message.provider_id
    }
