"""Jobs that will not be tried again by themselves: listing them, trying them again, discarding them."""

from ficha.core.transaction import Transaction
from ficha.jobs.engine import engine_of
from ficha.jobs.kinds import DeadJob


def dead_jobs(tx: Transaction, limit: int = 100, after: int = 0) -> list[DeadJob]:
    """Oldest job first; `after` is the last id of the page before."""
    return engine_of(tx).dead_jobs(tx, limit, after)


def retry_dead(tx: Transaction, id: int) -> bool:
    """Back to the queue with all its attempts. If a job with its key waits there, that one stands for both.
    Returns whether there was such a dead job."""
    return engine_of(tx).retry_dead(tx, id)


def retry_all_dead(tx: Transaction) -> int:
    retried, after = 0, 0
    while page := dead_jobs(tx, after=after):
        retried += sum(retry_dead(tx, job.id) for job in page)
        after = page[-1].id
    return retried


def discard_dead(tx: Transaction, id: int) -> bool:
    return engine_of(tx).discard_dead(tx, id)
