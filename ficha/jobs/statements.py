"""What is asked of the table of jobs: putting one, claiming what is due, keeping it, and writing down how it ended.

Everything happens inside the caller's transaction. On SQLite it began with the one write lock; on PostgreSQL a job that
another transaction has locked is passed over.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Float, Select, bindparam, delete, literal, select, text, update
from sqlalchemy.exc import IntegrityError

from ficha.core.db import seconds_from_now
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job, JobClaim
from ficha.jobs.table import DEAD, IS_WAITING, READY, RUNNING, jobs
from ficha.jobs.wakeup import NOTIFY, wake_after_commit

_COLUMNS = ("kind", "payload", "key", "state", "rank", "run_at", "attempts", "created_at")
_CLAIMED = (jobs.c.id, jobs.c.kind, jobs.c.payload, jobs.c.attempts, jobs.c.worker)

# A process does not begin a job while it runs another with the same key: the two would only wait for each other.
# Another process may, because it cannot know whether the first is alive.
under_way = jobs.alias("under_way")
_MINE = select(under_way.c.key).where(
    under_way.c.state == RUNNING, under_way.c.worker == bindparam("me"), under_way.c.key.is_not(None)
)


def _due(*conditions: ColumnElement[bool]) -> Select[int]:
    """What was put without a time is due by any clock: those of two machines may differ."""
    return (
        select(jobs.c.id)
        .where(jobs.c.state == READY, (jobs.c.run_at <= bindparam("now")) | (jobs.c.run_at <= jobs.c.created_at))
        .where(jobs.c.key.is_(None) | jobs.c.key.not_in(_MINE), *conditions)
        .order_by(jobs.c.rank, jobs.c.run_at, jobs.c.id)
    )


# What every job goes through is written once and given its values later: building it costs more than running it.
_DUE = Prepared(_due().limit(1))
first = jobs.alias("first")


def _of_first(column: str) -> Any:
    return select(first.c[column]).where(first.c.id == bindparam("first")).scalar_subquery()


def _claiming(due: Select[int], lease_until: ColumnElement[datetime]) -> Prepared:
    """A table expression is run once. PostgreSQL may run the query of an IN for every row, and each time it would find
    others that are not locked yet."""
    found = due.with_for_update(skip_locked=True).cte("found")
    values = {"state": RUNNING, "worker": bindparam("me"), "attempts": jobs.c.attempts + 1}
    claimed = update(jobs).where(jobs.c.id.in_(select(found.c.id))).values(lease_until=lease_until, **values)
    return Prepared(claimed.returning(*_CLAIMED))


_CLAIM = _claiming(_due().limit(1), seconds_from_now(bindparam("lease", type_=Float)))
_CLAIM_MORE = _claiming(
    _due(jobs.c.kind == _of_first("kind"), jobs.c.rank == _of_first("rank")).limit(bindparam("most")),
    _of_first("lease_until"),
)
_STILL_HELD = (
    (jobs.c.id == bindparam("job"))
    & (jobs.c.state == RUNNING)
    & (jobs.c.worker == bindparam("holder"))
    & (jobs.c.attempts == bindparam("attempt"))
)
_FINISH = Prepared(delete(jobs).where(_STILL_HELD))


@cache
def _insert(dialect: str, wakes: bool) -> Prepared:
    if dialect == "sqlite":
        from sqlalchemy.dialects.sqlite import insert  # noqa: PLC0415

        once = insert(jobs).on_conflict_do_nothing(index_elements=["key"], index_where=text(IS_WAITING))
        return Prepared(once, _COLUMNS, only=dialect)
    from sqlalchemy.dialects.postgresql import insert as postgres_insert  # noqa: PLC0415

    # A second put under a waiting key changes nothing, but locks the waiting job until the caller commits: a worker
    # that took it before could not see what the caller has just written, and nobody would look again.
    putting = postgres_insert(jobs)
    locking = putting.on_conflict_do_update(
        index_elements=["key"], index_where=text(IS_WAITING), set_={"key": putting.excluded.key}
    )
    return Prepared(locking.returning(NOTIFY) if wakes else locking, _COLUMNS, only=dialect)


def insert_job(tx: Transaction, row: dict[str, Any], *, wakes: bool) -> None:
    if not tx.is_sqlite:
        tx.run(_insert(tx.dialect.name, wakes), **row)  # It wakes all processes.
    elif tx.changed(_insert(tx.dialect.name, wakes), **row) and wakes:
        wake_after_commit(tx)  # Otherwise one with its key waits already, and was signalled.


def has_due(tx: Transaction, worker: str) -> bool:
    return tx.first(_DUE, now=tx.now(), me=worker) is not None


def claim(tx: Transaction, worker: str, lease: timedelta) -> JobClaim | None:
    """Takes the job that has waited longest."""
    row = tx.first(_CLAIM, now=tx.now(), me=worker, lease=lease.total_seconds())
    return _claim_of(*row) if row else None


def claim_more(tx: Transaction, first: JobClaim, most: int) -> list[JobClaim]:
    """Further jobs of the same kind and urgency that are due, for the same holder and as long as the first."""
    found = tx.all(_CLAIM_MORE, now=tx.now(), me=first.worker, first=first.job.id, most=most)
    return sorted((_claim_of(*row) for row in found), key=lambda claim: claim.job.id)


def extend_leases(tx: Transaction, worker: str, ids: Collection[int], lease: timedelta) -> None:
    """The heartbeat. It names the jobs that run: one that this process has lost track of is not kept alive."""
    mine = (jobs.c.worker == worker) & (jobs.c.state == RUNNING) & jobs.c.id.in_(ids)
    until = seconds_from_now(literal(lease.total_seconds(), Float))
    tx.orm.execute(update(jobs).where(mine).values(lease_until=until))


def expired(tx: Transaction) -> list[JobClaim]:
    """Claims whose process has sent no heartbeat for the length of a lease."""
    overdue = (jobs.c.state == RUNNING) & (jobs.c.lease_until <= seconds_from_now(literal(0.0, Float)))
    found = select(*_CLAIMED).where(overdue).with_for_update(skip_locked=True)
    return [_claim_of(*row) for row in tx.orm.execute(found)]


# The three ways an attempt ends. Each returns whether the claim still held; if not, nothing was changed.


def finish(tx: Transaction, claim: JobClaim) -> bool:
    return tx.changed(_FINISH, **_held(claim)) > 0


def retry(tx: Transaction, claim: JobClaim, at: datetime, error: str) -> bool:
    try:
        with tx.savepoint():
            was_held = _end(tx, claim, state=READY, run_at=at, last_error=error)
    except IntegrityError:
        # Another with the same key waits already: it will do this one's work.
        return finish(tx, claim)
    if at <= tx.now():  # For a later time the threads would be woken for nothing.
        wake_after_commit(tx)
    return was_held


def mark_dead(tx: Transaction, claim: JobClaim, error: str) -> bool:
    return _end(tx, claim, state=DEAD, died_at=tx.now(), last_error=error)


def _held(claim: JobClaim) -> dict[str, Any]:
    return {"job": claim.job.id, "holder": claim.worker, "attempt": claim.job.attempt}


def _end(tx: Transaction, claim: JobClaim, **values: Any) -> bool:
    ended = update(jobs).where(_STILL_HELD).values(worker=None, lease_until=None, **values).returning(jobs.c.id)
    return tx.orm.scalar(ended, _held(claim)) is not None


def _claim_of(id: int, kind: str, payload: dict[str, Any], attempts: int, worker: str) -> JobClaim:
    return JobClaim(Job(id, kind, payload, attempts), worker)
