"""The tables that `statements.py` reads and writes, each with the row that its prepared reads return, and the states of
a message. Those of files, uploads, opened messages and platform facts are in the files of their names."""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Boolean, Float, ForeignKey, Index, Integer, LargeBinary, String, false
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ficha.channels.messages import DeliveryStatus
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Json, Utc, partial_index
from ficha.core.secrets import HasDataKey, opened_key


class MessageState(StrEnum):
    RECEIVED = "received"  # For messages from others; all other states are for ours.
    QUEUED = "queued"
    ACCEPTED = "accepted"
    SENT = "sent"
    FAILED = "failed"
    DELIVERED = "delivered"
    READ = "read"


# Failed comes before delivered: a message that reached the person did not fail, whatever another status says.
ORDER = (
    MessageState.QUEUED,
    MessageState.ACCEPTED,
    MessageState.SENT,
    MessageState.FAILED,
    MessageState.DELIVERED,
    MessageState.READ,
)
RANK = {state: rank for rank, state in enumerate(ORDER)}

STATE_OF_STATUS = {
    DeliveryStatus.SENT: MessageState.SENT,
    DeliveryStatus.DELIVERED: MessageState.DELIVERED,
    DeliveryStatus.READ: MessageState.READ,
    DeliveryStatus.FAILED: MessageState.FAILED,
}


class Thread(HasDataKey, Base):
    """A person who hides the number has only a `user_id`; others may have both."""

    __tablename__ = "threads"
    __table_args__ = (
        Index("ux_threads_wa_id", "phone_number_id", "wa_id", unique=True),
        Index("ux_threads_user_id", "phone_number_id", "user_id", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # Its key is sealed for this name, because numbers and user ids may change.
    name: Mapped[str] = mapped_column(String(24))
    phone_number_id: Mapped[str] = mapped_column(String(40))
    wa_id: Mapped[str | None] = mapped_column(String(40))
    user_id: Mapped[str | None] = mapped_column(String(160))
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"), index=True)
    # Their last message: for 24 hours from it we may write freely, after that only templates.
    last_inbound_at: Mapped[datetime | None] = mapped_column(Utc)
    stopped_at: Mapped[datetime | None] = mapped_column(Utc)
    # When the last word that stopped or started our messages was written, by the person's clock.
    opt_out_at: Mapped[datetime | None] = mapped_column(Utc)
    created_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def key_bound_to(self) -> str:
        return thread_key_context(self.name)


class ThreadRow(NamedTuple):
    """What sending needs of a thread."""

    id: int
    name: str
    phone_number_id: str
    wa_id: str | None
    user_id: str | None
    last_inbound_at: datetime | None
    stopped_at: datetime | None
    key_id: str | None
    wrapped_key: bytes | None

    def open_key(self, keyring: Keyring) -> bytes:
        """Raises KeyDestroyed, or Tampered if it does not open."""
        return opened_key(keyring, self.key_id, self.wrapped_key, thread_key_context(self.name))


def thread_key_context(name: str) -> str:
    """Bound into the wrapping of a thread's key."""
    return f"thread:{name}"


class Message(Base):
    __tablename__ = "messages"
    __table_args__ = (
        Index("ix_messages_thread_id_id", "thread_id", "id"),
        # Few among all that were sent.
        partial_index("ix_messages_failed_at", "failed_at", where="failed_at IS NOT NULL"),
        {"sqlite_autoincrement": True},
    )

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
    def sealing_context(self) -> str:
        return message_context(self.key)


class MessageRow(NamedTuple):
    """A message of ours while it is sent and told about. One whose thread was just joined to another, or that was
    read as a `Message`, has none."""

    id: int
    key: str
    about: str
    reply_to: str | None
    provider_id: str | None
    sealed: bytes | None
    is_secret: bool
    is_urgent: bool
    is_said_once: bool
    state: str
    accepted_at: datetime | None
    sent_at: datetime | None
    delivered_at: datetime | None
    read_at: datetime | None
    error: str | None
    replaced_by: int | None
    has_turn: bool
    in_doubt_at: datetime | None
    next_try_at: datetime | None
    repeated_at: datetime | None
    expires_at: datetime | None
    thread: ThreadRow | None = None

    @classmethod
    def of(cls, message: Message) -> "MessageRow":
        return cls(*(getattr(message, name) for name in cls._fields if name != "thread"))


def message_context(key: str) -> str:
    """Bound into the sealing of a message's content."""
    return f"message:{key}"


class KnownStatus(Base):
    """Its primary key makes a repeated status count once."""

    __tablename__ = "message_statuses"

    provider_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    progress: Mapped[str] = mapped_column(String(10), primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc)
    received_at: Mapped[datetime] = mapped_column(Utc)
    error_code: Mapped[int | None] = mapped_column(Integer)


class Notification(Base):
    """A body that is sent again has the same `digest` and so the same row. `done` counts the processed items."""

    __tablename__ = "notifications"
    __table_args__ = (
        partial_index("ix_notifications_waiting", "id", where="processed_at IS NULL"),
        partial_index("ix_notifications_kind", "id", where="kind IS NOT NULL"),
        Index("ix_notifications_received_at", "received_at"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    digest: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    is_test: Mapped[bool] = mapped_column(Boolean)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    received_at: Mapped[datetime] = mapped_column(Utc)
    processed_at: Mapped[datetime | None] = mapped_column(Utc)
    done: Mapped[int] = mapped_column(Integer)
    unreadable: Mapped[int] = mapped_column(Integer)
    # What of it was kept without being understood, or is not for us; none where all of it was acted upon.
    kind: Mapped[str | None] = mapped_column(String(40))


class NotificationRow(NamedTuple):
    """Before it is stored it has no id."""

    digest: bytes
    is_test: bool
    sealed: bytes
    received_at: datetime
    done: int = 0
    unreadable: int = 0
    id: int = 0


class SendBudget(Base):
    __tablename__ = "send_budgets"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    tokens: Mapped[float] = mapped_column(Float)
    at: Mapped[datetime] = mapped_column(Utc)


class KnownTemplate(Base):
    __tablename__ = "known_templates"

    name: Mapped[str] = mapped_column(String(512), primary_key=True)
    language: Mapped[str] = mapped_column(String(20), primary_key=True)
    facts: Mapped[dict[str, Any]] = mapped_column(Json)
    seen_at: Mapped[datetime] = mapped_column(Utc)


class Uptime(Base):
    """One row: when our servers ran. Between `silent_from` and `since` nothing was heard; from `since` to `last_at`
    everything."""

    __tablename__ = "hearing"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    silent_from: Mapped[datetime] = mapped_column(Utc)
    since: Mapped[datetime] = mapped_column(Utc)
    last_at: Mapped[datetime] = mapped_column(Utc)
