"""Messages about a person, which staff open one by one: who did, and why, is in the record's log."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator
from sqlalchemy import LargeBinary, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.core.crypto import Keyring, seal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.secrets import KeyDestroyed
from ficha.core.text_types import TextLimits, single_line
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record
from ficha.messaging.message_content import opened_json
from ficha.messaging.tables import Message

# Why somebody opens one; its owner may read it.
OpeningReason = Annotated[str, TextLimits(500, min_length=10), AfterValidator(single_line)]
# For how long the file of an opened message can be fetched.
DURATION = timedelta(minutes=60)
VIA_STAFF = "staff"


class OpenedMessage(Base):
    """`why` is encrypted with the record's key: it may tell what happened to the person."""

    __tablename__ = "opened_messages"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    message_id: Mapped[int] = mapped_column(BigId, index=True)
    record_id: Mapped[int] = mapped_column(BigId)
    account_id: Mapped[int] = mapped_column(BigId)
    why: Mapped[bytes] = mapped_column(LargeBinary)
    at: Mapped[datetime] = mapped_column(Utc)


class MessageReserved(FichaError):
    status = 403
    code = "mensaje_reservado"
    message = "Es de un mensaje sobre una persona. Abra antes el mensaje diciendo su motivo, que queda anotado."


def open_message(
    tx: Transaction, keyring: Keyring, caller: Caller, message: Message, why: str, now: datetime, *, origin: str
) -> OpenedMessage | None:
    """Notes in the record's log that the caller opens this message, and why. Locks the record's row. None for a message
    that concerns no record: it needs no opening. Raises NotFound if the record was erased."""
    if message.record_id is None:
        return None
    record = tx.orm.get(Record, message.record_id, with_for_update=True)
    if record is None or record.erased_at is not None:
        raise NotFound
    opened = OpenedMessage(
        message_id=message.id,
        record_id=record.id,
        account_id=caller.account_id,
        why=seal(record.open_key(keyring), why.encode(), why_context(record.id)),
        at=now,
    )
    tx.orm.add(opened)
    tx.orm.flush()
    actor = caller.actor
    what = [f"message:{message.id}"]
    audit.note(tx, record.id, actor, "message.opened", what, now, via=VIA_STAFF, origin=origin)
    return opened


def must_have_opened(tx: Transaction, caller: Caller, message: Message, now: datetime) -> None:
    """Raises MessageReserved."""
    if not has_opened(tx, caller, message, now):
        raise MessageReserved


def has_opened(tx: Transaction, caller: Caller, message: Message, now: datetime) -> bool:
    """Whether the message concerns no record, or this caller opened it within the hour."""
    if message.record_id is None:
        return True
    opened = select(OpenedMessage.id).where(
        OpenedMessage.message_id == message.id,
        OpenedMessage.account_id == caller.account_id,
        OpenedMessage.at > now - DURATION,
    )
    return tx.orm.scalar(opened.limit(1)) is not None


def said_in(message: Message, keyring: Keyring) -> dict[str, Any] | None:
    """Ours as asked for, theirs as the platform told it. None for one-time codes, and once erased; of an alert without
    its link, which answers in the name of the contact. For whoever may read it."""
    if message.is_secret or message.sealed is None:
        return None
    try:
        content: dict[str, Any] = opened_json(message.thread.open_key(keyring), message.sealed, message.sealing_context)
    except KeyDestroyed:
        return None
    if message.is_ours:  # A file has a kind of its own, image or document, which takes the place of this one.
        content = {"kind": content.pop("is"), **content}
        if message.record_id is not None:
            for button in content.get("buttons", ()):
                button.update({"text": None} if "text" in button else {})
    return content


def erase_openings(tx: Transaction, record_id: int) -> None:
    """The reasons go with the record; that messages were opened stays in its log."""
    tx.orm.execute(delete(OpenedMessage).where(OpenedMessage.record_id == record_id))


def why_context(record_id: int) -> str:
    return f"opened:{record_id}:why"
