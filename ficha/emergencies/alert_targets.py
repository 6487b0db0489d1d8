"""The table of numbers and mailboxes that records alerted. reachability.py says who may be reached again."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import LargeBinary, String, and_, or_
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.secrets import Secrets


class AlertTarget(Base):
    """What a number or mailbox got from a record, and whether its person agreed. `target` is a keyed hash: addresses
    are only compared."""

    __tablename__ = "alert_targets"

    record_id: Mapped[int] = mapped_column(BigId, primary_key=True)
    target: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True, index=True)
    # Of the last alert, so that an answer to it is found.
    emergency_id: Mapped[int] = mapped_column(BigId, index=True)
    contact_id: Mapped[str] = mapped_column(String(8))
    channel: Mapped[str] = mapped_column(String(10))
    alerted_at: Mapped[datetime] = mapped_column(Utc)
    asked_at: Mapped[datetime | None] = mapped_column(Utc)
    confirmed_at: Mapped[datetime | None] = mapped_column(Utc)
    refused_at: Mapped[datetime | None] = mapped_column(Utc)


class TargetRow(NamedTuple):
    """What of a target decides whether it may be reached."""

    asked_at: datetime | None
    confirmed_at: datetime | None
    refused_at: datetime | None


def target_of(secrets: Secrets, channel: str, address: str) -> bytes:
    return secrets.keyed_hash("alert-target", f"{channel}:{address.casefold()}")


def is_closed(columns: Any) -> Any:
    """Of a row: its person declined, or was asked whether she agrees and never said so."""
    return or_(columns.refused_at.is_not(None), and_(columns.asked_at.is_not(None), columns.confirmed_at.is_(None)))
