"""Runs jobs in the caller's thread, by a clock that the test moves."""

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from ficha.core.db import Database
from ficha.core.transaction import Transaction
from ficha.jobs.executor import JobExecutor
from ficha.jobs.kinds import JobClaim, Kind
from ficha.jobs.statements import claim


def claim_without_lease(tx: Transaction) -> JobClaim | None:
    """When its process dies, the job counts as expired at once."""
    return claim(tx, "none", timedelta())


def run_due(database: Database, kinds: Iterable[Kind], *, on_done: Callable[[str, str], None] | None = None) -> None:
    """Runs the jobs that are due by the database's clock, one after another in the runner's order, and those that
    they put; returns when none is due. First it takes over the jobs of processes that died.

    It holds its jobs without a lease and sends no heartbeat: a runner beside it would take them over.
    """
    executor = JobExecutor(database, kinds, timedelta(), on_done)
    executor.take_over()

    def claim_next(tx: Transaction) -> Sequence[JobClaim]:
        return executor.with_more(tx, claim_without_lease(tx))

    with database.writing() as tx:
        claims = claim_next(tx)
    while claims:
        claims = executor.run(claims, claim_next)
