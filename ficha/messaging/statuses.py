"""News of messages of ours. Each is taken in once; news of a message we do not know yet waits for it."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Integer, String, bindparam, or_, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.channels.messages import DeliveryStatus, StatusUpdate
from ficha.core.db import Base, Utc, insert_new
from ficha.messaging.failures import Failures
from ficha.messaging.message_states import OF
from ficha.messaging.messages import Message, apply_state


class KnownStatus(Base):
    """The key is what makes one of many tellings count."""

    __tablename__ = "message_statuses"

    provider_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    progress: Mapped[str] = mapped_column(String(10), primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc)
    received_at: Mapped[datetime] = mapped_column(Utc)
    error_code: Mapped[int | None] = mapped_column(Integer)


def take_statuses(session: Session, failures: Failures, statuses: Sequence[StatusUpdate], now: datetime) -> None:
    """News of several messages at once. What was told before is left aside."""
    by_name = {(status.provider_id, str(status.status)): status for status in statuses}
    rows = [
        {
            "provider_id": provider_id,
            "progress": progress,
            "at": status.at,
            "received_at": now,
            "error_code": status.error_code,
        }
        for (provider_id, progress), status in sorted(by_name.items(), key=lambda item: item[0])
    ]
    new = {tuple(row) for row in insert_new(session, KnownStatus, rows, KnownStatus.provider_id, KnownStatus.progress)}
    fresh = [status for name, status in by_name.items() if name in new]
    messages = _messages_of(session, fresh)
    for status in fresh:
        message = messages.get(status.provider_id) or messages.get(status.key or "")
        if message is None or message.provider_id not in (None, status.provider_id):
            continue  # Not ours, not accepted yet, or accepted twice and this is news of the other.
        # It may come before the answer to our own call, or be all that we ever hear after a call that hung.
        message.provider_id = status.provider_id
        _apply(session, failures, message, status.status, status.at, status.error_code, now)


def take_earlier_statuses(session: Session, failures: Failures, message: Message, now: datetime) -> None:
    """What was told of this message before we knew its name on the platform."""
    for known in session.scalars(select(KnownStatus).where(KnownStatus.provider_id == message.provider_id)):
        _apply(session, failures, message, DeliveryStatus(known.progress), known.at, known.error_code, now)


def _apply(
    session: Session,
    failures: Failures,
    message: Message,
    progress: DeliveryStatus,
    at: datetime,
    error_code: int | None,
    now: datetime,
) -> None:
    if progress is DeliveryStatus.FAILED:
        failures.fail(session, message, now, at=at, code=error_code)
    else:
        apply_state(session, failures.hooks, message, OF[progress], at, now)


def _messages_of(session: Session, statuses: Sequence[StatusUpdate]) -> dict[str, Message]:
    """Under the platform's name and under ours."""
    if not statuses:
        return {}
    ids = [status.provider_id for status in statuses]
    keys = [status.key for status in statuses if status.key]
    found = session.scalars(OURS, {"ids": ids, "keys": keys}).all()
    return {message.key: message for message in found} | {
        message.provider_id: message for message in found if message.provider_id
    }


OURS = (
    select(Message)
    .where(Message.is_ours.is_(True))
    .where(
        or_(
            Message.provider_id.in_(bindparam("ids", expanding=True)),
            Message.key.in_(bindparam("keys", expanding=True)),
        )
    )
    .order_by(Message.id)
    .with_for_update()
)
