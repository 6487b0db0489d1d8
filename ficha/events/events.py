"""Events: one row for each audience, written with the change itself and kept for some days; and an event as subscribers
get it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Json, Utc, partial_index

LARGEST = 2**63 - 1
_WIRE = re.compile(r"([0-9]{1,19})-([0-9]{1,19})", re.ASCII)
# Somebody guesses codes (products/decoys.py): few among all events, and staff look for the newest.
IS_GUESSING = "kind IN ('codes.decoy_touched', 'codes.typed_by_one_address')"


class Event(Base):
    """Holds ids, states and times only: what it is about is read where that is kept, by who may read it there."""

    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_position", "xid", "id"),
        Index("ix_events_account_position", "account_id", "xid", "id"),
        # Without the rows of accounts and staff, which are the most.
        partial_index("ix_events_topic_position", "topic", "xid", "id", where="topic IS NOT NULL"),
        partial_index("ix_events_guessing", "id", where=IS_GUESSING),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    # On PostgreSQL the transaction that wrote it; on SQLite, where one writes at a time, always 0.
    xid: Mapped[int] = mapped_column(BigInteger)
    at: Mapped[datetime] = mapped_column(Utc)
    # For an account, for a topic, or for staff when both are empty. No foreign key: events of an erased account stay
    # until they are pruned.
    account_id: Mapped[int | None] = mapped_column(BigId)
    topic: Mapped[str | None] = mapped_column(String(40))
    kind: Mapped[str] = mapped_column(String(40))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)


class Audience(NamedTuple):
    """Whom an event is for: an account, or whoever subscribes to a topic."""

    account_id: int | None = None
    topic: str | None = None


STAFF = Audience()


class NewEvent(NamedTuple):
    kind: str
    payload: Mapping[str, Any]
    at: datetime
    audience: Audience


class EventPosition(NamedTuple):
    """A place in the order of events: by transaction, then by id, because ids are not committed in their order."""

    xid: int
    id: int


START = EventPosition(0, 0)


@dataclass(frozen=True)
class StreamedEvent:
    """An event as subscribers get it."""

    position: EventPosition
    audience: Audience
    at: datetime
    kind: str
    payload: dict[str, Any]

    @cached_property
    def frame(self) -> bytes:
        """Its bytes in a Server-Sent Events stream, made once for all subscribers."""
        data = json.dumps({"at": self.at.isoformat()} | self.payload, ensure_ascii=False, separators=(",", ":"))
        return f"id: {position_to_wire(self.position)}\nevent: {self.kind}\ndata: {data}\n\n".encode()


class EventPage(NamedTuple):
    """`is_blocked`: newer rows are there, but a transaction that may come before them still runs."""

    events: Sequence[StreamedEvent]
    is_blocked: bool
    is_full: bool


class PositionState(Enum):
    """What is known of a position from which somebody wants to go on."""

    KEPT = "kept"
    PRUNED = "pruned"
    UNKNOWN = "unknown"


def position_to_wire(position: EventPosition) -> str:
    return f"{position.xid}-{position.id}"


def position_from_wire(wire: str) -> EventPosition | None:
    found = _WIRE.fullmatch(wire)
    if found is None:
        return None
    position = EventPosition(int(found[1]), int(found[2]))
    return position if max(position) <= LARGEST else None
