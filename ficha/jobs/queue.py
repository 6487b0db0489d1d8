"""Puts work aside and counts what waits. A job exists if, and only if, the caller's transaction commits. Jobs that will
not be tried again by themselves are listed, tried again or discarded here."""

from datetime import datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError

from ficha.core.traces import current_trace
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import DeadJob, Payload
from ficha.jobs.statements import insert_job
from ficha.jobs.table import DEAD, READY, jobs
from ficha.jobs.wakeup import wake_after_commit

# So many failed attempts are no passing trouble.
MANY_ATTEMPTS = 3
LATELY = timedelta(hours=1)
# The ranks of jobs.
URGENT, ORDINARY = 0, 1


def put(
    tx: Transaction,
    kind: str,
    payload: Payload,
    *,
    at: datetime | None = None,
    key: str | None = None,
    urgent: bool = False,
) -> None:
    """The payload carries ids, never content that can be read. While a job with this `key` waits, another put changes
    nothing. An urgent job goes before all that are not."""
    now = tx.now()
    is_due = at is None or at <= now
    job = {"kind": kind, "payload": {**payload, **current_trace()}, "key": key, "run_at": at or now, "created_at": now}
    insert_job(tx, job | {"state": READY, "attempts": 0, "rank": URGENT if urgent else ORDINARY}, wakes=is_due)


def count_waiting(tx: Transaction) -> dict[str, int]:
    """How many of each kind are to be done, now or at their time."""
    by_kind = select(jobs.c.kind, func.count()).where(jobs.c.state == READY).group_by(jobs.c.kind)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind)}


def count_due(tx: Transaction, now: datetime) -> dict[str, int]:
    """How many of each kind should have begun by now, and have not."""
    by_kind = select(jobs.c.kind, func.count()).where(jobs.c.state == READY, jobs.c.run_at <= now)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind.group_by(jobs.c.kind))}


def failing_kinds(tx: Transaction, now: datetime) -> dict[str, int]:
    """Kinds whose jobs keep failing, and how many do: they wait for another attempt after several, or died lately."""
    failing = ((jobs.c.state == READY) & (jobs.c.attempts >= MANY_ATTEMPTS)) | (
        (jobs.c.state == DEAD) & (jobs.c.died_at > now - LATELY)
    )
    by_kind = select(jobs.c.kind, func.count()).where(failing).group_by(jobs.c.kind)
    return {row[0]: row[1] for row in tx.orm.execute(by_kind)}


def oldest_wait(tx: Transaction, now: datetime, *, urgent: bool | None = None) -> timedelta:
    """For how long the oldest job that is due has waited: zero when nothing is due. Of those that are urgent or are
    not, if it is said which."""
    oldest = select(func.min(jobs.c.run_at)).where(jobs.c.state == READY)
    if urgent is not None:
        oldest = oldest.where(jobs.c.rank == (URGENT if urgent else ORDINARY))
    since = tx.orm.scalar(oldest)
    return max(now - since, timedelta()) if since else timedelta()


EMPTY_WAL = "borrado.diario"


def put_empty_wal(tx: Transaction) -> None:
    put(tx, EMPTY_WAL, {}, key=EMPTY_WAL)


def dead_jobs(tx: Transaction, limit: int = 100, after: int = 0) -> list[DeadJob]:
    """Oldest job first; `after` is the last id of the page before."""
    c = jobs.c
    page = select(c.id, c.kind, c.attempts, c.last_error, c.created_at, c.died_at).order_by(c.id).limit(limit)
    return [DeadJob(*row) for row in tx.orm.execute(page.where(c.state == DEAD, c.id > after))]


def retry_dead(tx: Transaction, id: int) -> bool:
    """Back to the queue with all its attempts. If a job with its key waits there, that one stands for both.
    Returns whether there was such a dead job."""
    dead = update(jobs).where(jobs.c.id == id, jobs.c.state == DEAD)
    try:
        with tx.savepoint():
            again = dead.values(state=READY, attempts=0, died_at=None).returning(jobs.c.id)
            found = tx.orm.scalar(again) is not None
    except IntegrityError:
        return discard_dead(tx, id)
    wake_after_commit(tx)
    return found


def retry_all_dead(tx: Transaction) -> int:
    retried, after = 0, 0
    while page := dead_jobs(tx, after=after):
        retried += sum(retry_dead(tx, job.id) for job in page)
        after = page[-1].id
    return retried


def discard_dead(tx: Transaction, id: int) -> bool:
    dead = delete(jobs).where(jobs.c.id == id, jobs.c.state == DEAD)
    return tx.orm.scalar(dead.returning(jobs.c.id)) is not None
