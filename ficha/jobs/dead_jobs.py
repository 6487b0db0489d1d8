"""Jobs that will not be tried again by themselves: listing them, trying them again, discarding them."""

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from ficha.core.transaction import Transaction
from ficha.jobs.kinds import DeadJob
from ficha.jobs.table import DEAD, READY, jobs
from ficha.jobs.wakeup import wake_after_commit


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
