"""The table of emergencies, their states, and one as the row that prepared statements read."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.fmd.records import Record


class EmergencyState(StrEnum):
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    CANCELED = "canceled"


# Begins the name of every message about an emergency.
ABOUT = "emergencia:"
LIVE = (EmergencyState.OPEN, EmergencyState.ACKNOWLEDGED)


class Emergency(Base):
    """Ids, states and times are in clear; the place is sealed with the record's key, which is destroyed with it."""

    __tablename__ = "emergencies"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), index=True)
    # The record, as long as a new scan would join this one: of two alerts at once, one makes the emergency.
    current_record_id: Mapped[int | None] = mapped_column(BigId, unique=True)
    code: Mapped[str] = mapped_column(String(6))
    state: Mapped[str] = mapped_column(String(12), index=True)
    # A drill by the owner: its steps are stored, and nothing is sent.
    is_drill: Mapped[bool]
    entrance: Mapped[str] = mapped_column(String(10))
    position: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Where it is in words, as whoever scanned wrote it.
    landmark: Mapped[bytes | None] = mapped_column(LargeBinary)
    scans: Mapped[int]
    last_scan_at: Mapped[datetime] = mapped_column(Utc)
    opened_at: Mapped[datetime] = mapped_column(Utc)
    opened_by: Mapped[str] = mapped_column(String(60))
    acknowledged_at: Mapped[datetime | None] = mapped_column(Utc)
    acknowledged_by: Mapped[str | None] = mapped_column(String(60))
    resolved_at: Mapped[datetime | None] = mapped_column(Utc)
    resolved_by: Mapped[str | None] = mapped_column(String(60))
    canceled_at: Mapped[datetime | None] = mapped_column(Utc)
    canceled_by: Mapped[str | None] = mapped_column(String(60))
    # Since when staff looks after it, because nobody of the family answered.
    staff_at: Mapped[datetime | None] = mapped_column(Utc, index=True)

    @property
    def is_live(self) -> bool:
        return self.state in LIVE

    @property
    def ended_at(self) -> datetime | None:
        return self.resolved_at or self.canceled_at

    @property
    def about(self) -> str:
        return f"{ABOUT}{self.id}"


class EmergencyRow(NamedTuple):
    """What the ladder and the states of its messages need to know of an emergency."""

    id: int
    record_id: int
    state: str
    is_drill: bool
    position: bytes | None
    landmark: bytes | None
    opened_at: datetime
    staff_at: datetime | None
    code: str
    entrance: str
    opened_by: str


AnyEmergency = Emergency | EmergencyRow
