"""The table of jobs, the same on both databases."""

from datetime import datetime
from typing import Any, cast

from sqlalchemy import Index, Integer, String, Table, Text
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Json, Utc, partial_index

READY, RUNNING, DEAD = "ready", "running", "dead"
IS_WAITING = f"state = '{READY}'"


class LeasedJob(Base):
    __tablename__ = "jobs"
    __table_args__ = (
        Index("ix_jobs_due", "state", "rank", "run_at", "id"),
        # At most one job with a key waits. One that runs does not count: it may have missed what is new.
        partial_index("uq_jobs_key", "key", unique=True, where=IS_WAITING),
        # An id is never used again, so whoever remembers an old job cannot meet a new one.
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    kind: Mapped[str] = mapped_column(String(128))
    payload: Mapped[dict[str, Any]] = mapped_column(Json)
    key: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    # The lowest goes first.
    rank: Mapped[int] = mapped_column(Integer, server_default="1")
    run_at: Mapped[datetime] = mapped_column(Utc)
    attempts: Mapped[int] = mapped_column(Integer)
    worker: Mapped[str | None] = mapped_column(String(255))
    lease_until: Mapped[datetime | None] = mapped_column(Utc)
    last_error: Mapped[str | None] = mapped_column(String(255))
    created_at: Mapped[datetime] = mapped_column(Utc)
    died_at: Mapped[datetime | None] = mapped_column(Utc)


jobs = cast(Table, LeasedJob.__table__)
