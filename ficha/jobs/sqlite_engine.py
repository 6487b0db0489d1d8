"""The SQLite engine: a table of jobs. A worker holds a job by a lease, and loses it when it stops extending it."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Index, Integer, String, Table, Text, bindparam, delete, func, select, text, update
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.clock import SystemClock
from ficha.core.db import Base, BigId, Json, Utc, partial_index
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import DeadJob, Job, JobClaim, Payload
from ficha.jobs.wakeup import signal_after_commit

READY, RUNNING, DEAD = "ready", "running", "dead"
IS_WAITING = f"state = '{READY}'"

# Leases alone go by the machine's time, on purpose: when a test moves the service's clock, a busy process must not
# look dead.
MACHINE_CLOCK = SystemClock()
# The holder's name in claims without a lease.
NO_WORKER = "none"


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
CLAIMED = (jobs.c.id, jobs.c.kind, jobs.c.payload, jobs.c.attempts, jobs.c.worker)

# What every job goes through is written once and given its values later: building it costs more than running it.
PUT = Prepared(
    insert(jobs).on_conflict_do_nothing(index_elements=["key"], index_where=text(IS_WAITING)),
    ["kind", "payload", "key", "state", "rank", "run_at", "attempts", "created_at"],
    only="sqlite",
)
# A process does not begin a job while it runs another with the same key: the two would only wait for each other.
# Another process may, because it cannot know whether the first is alive.
under_way = jobs.alias("under_way")
MINE = select(under_way.c.key).where(
    under_way.c.state == RUNNING, under_way.c.worker == bindparam("me"), under_way.c.key.is_not(None)
)
NEXT = (
    select(jobs.c.id)
    .where(jobs.c.state == READY, jobs.c.run_at <= bindparam("now"))
    .where(jobs.c.key.is_(None) | jobs.c.key.not_in(MINE))
    .order_by(jobs.c.rank, jobs.c.run_at, jobs.c.id)
    .limit(1)
)
DUE = Prepared(NEXT, only="sqlite")
CLAIM = Prepared(
    update(jobs)
    .where(jobs.c.id == NEXT.scalar_subquery())
    .values(state=RUNNING, worker=bindparam("me"), lease_until=bindparam("until"), attempts=jobs.c.attempts + 1)
    .returning(*CLAIMED),
    only="sqlite",
)
first = jobs.alias("first")
MORE = (
    select(jobs.c.id)
    .where(jobs.c.state == READY, jobs.c.run_at <= bindparam("now"), jobs.c.kind == bindparam("same"))
    .where(jobs.c.rank == select(first.c.rank).where(first.c.id == bindparam("first")).scalar_subquery())
    .where(jobs.c.key.is_(None) | jobs.c.key.not_in(MINE))
    .order_by(jobs.c.run_at, jobs.c.id)
    .limit(bindparam("most"))
)
CLAIM_MORE = Prepared(
    update(jobs)
    .where(jobs.c.id.in_(MORE))
    .values(
        state=RUNNING,
        worker=bindparam("me"),
        lease_until=select(first.c.lease_until).where(first.c.id == bindparam("first")).scalar_subquery(),
        attempts=jobs.c.attempts + 1,
    )
    .returning(*CLAIMED),
    only="sqlite",
)
STILL_HELD = (
    (jobs.c.id == bindparam("job"))
    & (jobs.c.state == RUNNING)
    & (jobs.c.worker == bindparam("holder"))
    & (jobs.c.attempts == bindparam("attempt"))
)
FINISH = Prepared(delete(jobs).where(STILL_HELD), only="sqlite")


def put(tx: Transaction, kind: str, payload: Payload, at: datetime | None, key: str | None, urgent: bool) -> None:
    now = tx.now()
    job = {"kind": kind, "payload": dict(payload), "key": key, "run_at": at or now, "created_at": now}
    if tx.changed(
        PUT, state=READY, attempts=0, rank=0 if urgent else 1, **job
    ):  # Otherwise one with its key waits already, and was signalled.
        signal_after_commit(tx)


def has_due(tx: Transaction, worker: str) -> bool:
    return tx.first(DUE, now=tx.now(), me=worker) is not None


def claim(tx: Transaction, worker: str, lease: timedelta) -> JobClaim | None:
    """Takes the job that has waited longest. Needs a transaction that began with the write lock."""
    until = MACHINE_CLOCK.now() + lease
    row = tx.first(CLAIM, now=tx.now(), me=worker, until=until)
    return _claim_of(*row) if row else None


def claim_without_lease(tx: Transaction) -> JobClaim | None:
    return claim(tx, NO_WORKER, timedelta())


def claim_more(tx: Transaction, first: JobClaim, most: int) -> list[JobClaim]:
    asked = {"now": tx.now(), "same": first.job.kind, "first": first.job.id, "most": most}
    found = [_claim_of(*row) for row in tx.all(CLAIM_MORE, me=first.worker, **asked)]
    return sorted(found, key=lambda claim: claim.job.id)


def extend_leases(tx: Transaction, worker: str, ids: Collection[int], lease: timedelta) -> None:
    """The heartbeat. It names the jobs that run: one that this process has lost track of is not kept alive."""
    mine = (jobs.c.worker == worker) & (jobs.c.state == RUNNING) & jobs.c.id.in_(ids)
    tx.orm.execute(update(jobs).where(mine).values(lease_until=MACHINE_CLOCK.now() + lease))


def expired(tx: Transaction, lease: timedelta) -> list[JobClaim]:
    overdue = (jobs.c.state == RUNNING) & (jobs.c.lease_until <= MACHINE_CLOCK.now())
    return [_claim_of(*row) for row in tx.orm.execute(select(*CLAIMED).where(overdue))]


def finish(tx: Transaction, claim: JobClaim) -> bool:
    return tx.changed(FINISH, **_held(claim)) > 0


def retry(tx: Transaction, claim: JobClaim, at: datetime, error: str) -> bool:
    try:
        with tx.savepoint():
            was_held = _end(tx, claim, state=READY, run_at=at, last_error=error)
        if at <= tx.now():  # For a later time the threads would be woken for nothing.
            signal_after_commit(tx)
        return was_held
    except IntegrityError:
        # Another with the same key waits already: it will do this one's work.
        return finish(tx, claim)


def mark_dead(tx: Transaction, claim: JobClaim, error: str) -> bool:
    return _end(tx, claim, state=DEAD, died_at=tx.now(), last_error=error)


def dead_jobs(tx: Transaction, limit: int, after: int) -> list[DeadJob]:
    c = jobs.c
    page = select(c.id, c.kind, c.attempts, c.last_error, c.created_at, c.died_at).order_by(c.id).limit(limit)
    return [DeadJob(*row) for row in tx.orm.execute(page.where(c.state == DEAD, c.id > after))]


def retry_dead(tx: Transaction, id: int) -> bool:
    dead = update(jobs).where(jobs.c.id == id, jobs.c.state == DEAD)
    try:
        with tx.savepoint():
            again = dead.values(state=READY, attempts=0, died_at=None).returning(jobs.c.id)
            found = tx.orm.scalar(again) is not None
    except IntegrityError:
        return discard_dead(tx, id)
    signal_after_commit(tx)
    return found


def discard_dead(tx: Transaction, id: int) -> bool:
    dead = delete(jobs).where(jobs.c.id == id, jobs.c.state == DEAD)
    return tx.orm.scalar(dead.returning(jobs.c.id)) is not None


def count_waiting(tx: Transaction) -> dict[str, int]:
    by_kind = select(jobs.c.kind, func.count()).where(jobs.c.state == READY).group_by(jobs.c.kind)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind)}


def count_failing(tx: Transaction, attempts: int, died_since: datetime) -> dict[str, int]:
    failing = ((jobs.c.state == READY) & (jobs.c.attempts >= attempts)) | (
        (jobs.c.state == DEAD) & (jobs.c.died_at > died_since)
    )
    by_kind = select(jobs.c.kind, func.count()).where(failing).group_by(jobs.c.kind)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind)}


def waiting_since(tx: Transaction) -> datetime | None:
    since: datetime | None = tx.orm.scalar(select(func.min(jobs.c.run_at)).where(jobs.c.state == READY))
    return since


def _held(claim: JobClaim) -> dict[str, Any]:
    return {"job": claim.job.id, "holder": claim.worker, "attempt": claim.job.attempt}


def _end(tx: Transaction, claim: JobClaim, **values: Any) -> bool:
    ended = update(jobs).where(STILL_HELD).values(worker=None, lease_until=None, **values).returning(jobs.c.id)
    return tx.orm.scalar(ended, _held(claim)) is not None


def _claim_of(id: int, kind: str, payload: dict[str, Any], attempts: int, worker: str | None) -> JobClaim:
    return JobClaim(Job(id, kind, payload, attempts), worker)
