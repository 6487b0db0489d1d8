"""What became of the jobs: the dead letters and what can be done with them, and how long the queue is."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from ficha.jobs.engine import engine_of
from ficha.jobs.kinds import DeadJob


def dead_jobs(session: Session, limit: int = 100, after: int = 0) -> list[DeadJob]:
    """Oldest job first; `after` is the last id of the page before."""
    return engine_of(session).dead(session, limit, after)


def retry_dead(session: Session, id: int) -> bool:
    """Back to the queue with all its attempts. If one with its key waits there, that one stands for both."""
    return engine_of(session).revive(session, id)


def retry_all_dead(session: Session) -> int:
    revived, after = 0, 0
    while page := dead_jobs(session, after=after):
        revived += sum(retry_dead(session, letter.id) for letter in page)
        after = page[-1].id
    return revived


def discard_dead(session: Session, id: int) -> bool:
    return engine_of(session).discard(session, id)


def dead_counts(session: Session) -> dict[str, int]:
    return engine_of(session).counts(session, dead=True)


def waiting(session: Session) -> dict[str, int]:
    """How many of each kind are to be done, now or at their time."""
    return engine_of(session).counts(session, dead=False)


def oldest_wait(session: Session, now: datetime) -> timedelta:
    """For how long the queue is behind: zero when nothing is due."""
    since = engine_of(session).waiting_since(session)
    return max(now - since, timedelta()) if since else timedelta()
