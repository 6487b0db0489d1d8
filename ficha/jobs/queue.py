"""Puts work aside and counts what waits. A job exists if, and only if, the caller's transaction commits."""

from datetime import datetime, timedelta

from sqlalchemy import func, select

from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Payload
from ficha.jobs.statements import insert_job
from ficha.jobs.table import DEAD, READY, jobs

# So many failed attempts are no passing trouble.
MANY_ATTEMPTS = 3
LATELY = timedelta(hours=1)


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
    now = tx.now()
    is_due = at is None or at <= now
    job = {"kind": kind, "payload": dict(payload), "key": key, "run_at": at or now, "created_at": now}
    insert_job(tx, job | {"state": READY, "attempts": 0, "rank": 0 if urgent else 1}, wakes=is_due)


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
