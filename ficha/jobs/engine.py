"""What both engines can do: SQLite's is the module `sqlite_engine`, PostgreSQL's the module `postgres_engine`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from ficha.core.db import Database
from ficha.core.transaction import Transaction
from ficha.jobs import postgres_engine, sqlite_engine
from ficha.jobs.kinds import DeadJob, JobClaim, Payload


class Engine(Protocol):
    """Where jobs are kept. Everything happens inside the caller's transaction."""

    def put(
        self, tx: Transaction, kind: str, payload: Payload, at: datetime | None, key: str | None, urgent: bool
    ) -> None: ...

    # The next job that is due by the database's clock, in the order of the real runners, for `run_due`. It is held
    # without a lease: when its process dies, it counts as expired at once.
    def claim_without_lease(self, tx: Transaction) -> JobClaim | None: ...

    # Further jobs of the same kind and urgency that are due, for the same holder and as long as the first.
    def claim_more(self, tx: Transaction, first: JobClaim, most: int) -> Sequence[JobClaim]: ...

    # The three ways an attempt ends. Each returns whether the claim still held; if not, nothing was changed.
    def finish(self, tx: Transaction, claim: JobClaim) -> bool: ...
    def retry(self, tx: Transaction, claim: JobClaim, at: datetime, error: str) -> bool: ...
    def mark_dead(self, tx: Transaction, claim: JobClaim, error: str) -> bool: ...

    # Claims whose process has sent no heartbeat for the length of a lease.
    def expired(self, tx: Transaction, lease: timedelta) -> list[JobClaim]: ...

    def dead_jobs(self, tx: Transaction, limit: int, after: int) -> list[DeadJob]: ...
    def retry_dead(self, tx: Transaction, id: int) -> bool: ...
    def discard_dead(self, tx: Transaction, id: int) -> bool: ...

    def count_waiting(self, tx: Transaction) -> dict[str, int]: ...
    # By kind: those with so many failed attempts that wait, and those that died since.
    def count_failing(self, tx: Transaction, attempts: int, died_since: datetime) -> dict[str, int]: ...
    def waiting_since(self, tx: Transaction) -> datetime | None: ...


def engine_of(tx: Transaction) -> Engine:
    return sqlite_engine if tx.is_sqlite else postgres_engine


def engine_for(database: Database) -> Engine:
    return sqlite_engine if database.is_sqlite else postgres_engine
