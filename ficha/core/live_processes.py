"""The processes of the service that are alive, on whichever machine: each has a row, and writes there every few seconds
that it still runs."""

import os
import secrets
import socket
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import cast

from sqlalchemy import ColumnElement, Float, String, Table, Text, delete, func, insert, literal, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, Database, Utc, seconds_from_now
from ficha.core.log import log
from ficha.core.transaction import Transaction

BEAT_SECONDS = 5.0
# A database may restart, and a machine may be busy: one that was silent for so long is not counted on any more.
SILENT_SECONDS = 30.0
FORGOTTEN_SECONDS = 24 * 60 * 60.0


class ProcessRole(StrEnum):
    SERVER = "server"
    WORKER = "worker"


class LiveProcess(Base):
    """Times are the database's: several machines share the table, and no test moves that clock."""

    __tablename__ = "processes"

    id: Mapped[str] = mapped_column(String(255), primary_key=True)
    role: Mapped[str] = mapped_column(String(10))
    # A worker always does, a server where FICHA_JOBS_IN_SERVER says so.
    runs_jobs: Mapped[bool]
    started_at: Mapped[datetime] = mapped_column(Utc)
    seen_at: Mapped[datetime] = mapped_column(Utc)
    # The ids of the master keys that it has, comma-separated, newest first.
    key_ids: Mapped[str | None] = mapped_column(Text)


processes = cast(Table, LiveProcess.__table__)


def _seconds_ago(seconds: float) -> ColumnElement[datetime]:
    return seconds_from_now(literal(-seconds, Float))


IS_ALIVE = processes.c.seen_at > _seconds_ago(SILENT_SECONDS)


class Heartbeat:
    """Marks this process as alive. `runs_jobs` and `key_ids` are asked each time: they may change while it runs."""

    def __init__(
        self,
        database: Database,
        role: ProcessRole,
        *,
        runs_jobs: Callable[[], bool],
        key_ids: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._database, self._role = database, role
        self._runs_jobs, self._key_ids = runs_jobs, key_ids
        self.process_id = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

    def beat(self) -> None:
        now = _seconds_ago(0)
        told = {"runs_jobs": self._runs_jobs(), "key_ids": self._key_ids(), "seen_at": now}
        mine = update(processes).where(processes.c.id == self.process_id).values(told).returning(processes.c.id)
        with self._database.writing() as tx:
            if tx.orm.scalar(mine) is not None:
                return
            tx.orm.execute(insert(processes).values(id=self.process_id, role=self._role, started_at=now, **told))
            tx.orm.execute(delete(processes).where(processes.c.seen_at < _seconds_ago(FORGOTTEN_SECONDS)))

    def end(self) -> None:
        """It stops on purpose. Where the database does not answer, its row grows old by itself."""
        try:
            with self._database.writing() as tx:
                tx.orm.execute(delete(processes).where(processes.c.id == self.process_id))
        except Exception as error:
            log().warning("process.end_not_written", error=type(error).__name__)


def live_processes(tx: Transaction) -> list[LiveProcess]:
    """Those seen lately, the oldest first."""
    return list(tx.orm.scalars(select(LiveProcess).where(IS_ALIVE).order_by(LiveProcess.started_at, LiveProcess.id)))


def count_live_workers(tx: Transaction) -> int:
    """Of those that run jobs."""
    alive = select(func.count()).select_from(processes).where(IS_ALIVE, processes.c.runs_jobs)
    return tx.orm.execute(alive).scalar_one()
