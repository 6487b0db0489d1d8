"""Puts work aside and counts what waits. A job exists if, and only if, the caller's transaction commits."""

from datetime import datetime, timedelta

from ficha.core.transaction import Transaction
from ficha.jobs.engine import engine_of
from ficha.jobs.kinds import Payload

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
    engine_of(tx).put(tx, kind, payload, at, key, urgent)


def count_waiting(tx: Transaction) -> dict[str, int]:
    """How many of each kind are to be done, now or at their time."""
    return engine_of(tx).count_waiting(tx)


def failing_kinds(tx: Transaction, now: datetime) -> dict[str, int]:
    """Kinds whose jobs keep failing, and how many do: they wait for another attempt after several, or died lately."""
    return engine_of(tx).count_failing(tx, MANY_ATTEMPTS, now - LATELY)


def oldest_wait(tx: Transaction, now: datetime) -> timedelta:
    """For how long the oldest job that is due has waited: zero when nothing is due."""
    since = engine_of(tx).waiting_since(tx)
    return max(now - since, timedelta()) if since else timedelta()
