"""Jobs that will not be tried again by themselves: listing them, trying them again, discarding them."""

from sqlalchemy.orm import Session

from ficha.jobs.engine import engine_of
from ficha.jobs.kinds import DeadJob


def dead_jobs(session: Session, limit: int = 100, after: int = 0) -> list[DeadJob]:
    """Oldest job first; `after` is the last id of the page before."""
    return engine_of(session).dead_jobs(session, limit, after)


def retry_dead(session: Session, id: int) -> bool:
    """Back to the queue with all its attempts. If a job with its key waits there, that one stands for both.
    Returns whether there was such a dead job."""
    return engine_of(session).retry_dead(session, id)


def retry_all_dead(session: Session) -> int:
    retried, after = 0, 0
    while page := dead_jobs(session, after=after):
        retried += sum(retry_dead(session, job.id) for job in page)
        after = page[-1].id
    return retried


def discard_dead(session: Session, id: int) -> bool:
    return engine_of(session).discard_dead(session, id)
