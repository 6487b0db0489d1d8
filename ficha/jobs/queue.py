"""Puts work aside and counts what waits. A job exists if, and only if, the caller's transaction commits."""

from datetime import datetime, timedelta
from functools import cache

from sqlalchemy import func, select, text

from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Payload
from ficha.jobs.table import DEAD, IS_WAITING, READY, jobs
from ficha.jobs.wakeup import NOTIFY, wake_after_commit

# So many failed attempts are no passing trouble.
MANY_ATTEMPTS = 3
LATELY = timedelta(hours=1)
COLUMNS = ("kind", "payload", "key", "state", "rank", "run_at", "attempts", "created_at")


@cache
def _insert(dialect: str, wakes: bool) -> Prepared:
    if dialect == "sqlite":
        from sqlalchemy.dialects.sqlite import insert  # noqa: PLC0415

        once = insert(jobs).on_conflict_do_nothing(index_elements=["key"], index_where=text(IS_WAITING))
        return Prepared(once, COLUMNS, only=dialect)
    from sqlalchemy.dialects.postgresql import insert as postgres_insert  # noqa: PLC0415

    # A second put under a waiting key changes nothing, but locks the waiting job until the caller commits: a worker
    # that took it before could not see what the caller has just written, and nobody would look again.
    putting = postgres_insert(jobs)
    locking = putting.on_conflict_do_update(
        index_elements=["key"], index_where=text(IS_WAITING), set_={"key": putting.excluded.key}
    )
    return Prepared(locking.returning(NOTIFY) if wakes else locking, COLUMNS, only=dialect)


def put(
    tx: Transaction,
    kind: str,
    payload: Payload,
    *,
    at: datetime | None = None,
    key: str | None = None,
    urgent: bool = False,
) -> None:
    """The payload carries ids, never content. While a job with this `key` waits, another put changes nothing.
    An urgent job goes before all that are not."""
    now, dialect = tx.now(), tx.dialect.name
    is_due = at is None or at <= now
    job = {"kind": kind, "payload": dict(payload), "key": key, "run_at": at or now, "created_at": now}
    row = job | {"state": READY, "attempts": 0, "rank": 0 if urgent else 1}
    if not tx.is_sqlite:
        tx.run(_insert(dialect, is_due), **row)  # It wakes all processes.
    elif tx.changed(_insert(dialect, is_due), **row) and is_due:
        wake_after_commit(tx)  # Otherwise one with its key waits already, and was signalled.


def count_waiting(tx: Transaction) -> dict[str, int]:
    """How many of each kind are to be done, now or at their time."""
    by_kind = select(jobs.c.kind, func.count()).where(jobs.c.state == READY).group_by(jobs.c.kind)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind)}


def failing_kinds(tx: Transaction, now: datetime) -> dict[str, int]:
    """Kinds whose jobs keep failing, and how many do: they wait for another attempt after several, or died lately."""
    failing = ((jobs.c.state == READY) & (jobs.c.attempts >= MANY_ATTEMPTS)) | (
        (jobs.c.state == DEAD) & (jobs.c.died_at > now - LATELY)
    )
    by_kind = select(jobs.c.kind, func.count()).where(failing).group_by(jobs.c.kind)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind)}


def oldest_wait(tx: Transaction, now: datetime) -> timedelta:
    """For how long the oldest job that is due has waited: zero when nothing is due."""
    since = tx.orm.scalar(select(func.min(jobs.c.run_at)).where(jobs.c.state == READY))
    return max(now - since, timedelta()) if since else timedelta()
