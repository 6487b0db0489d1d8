"""The queue's own transactions: as few as possible, and none that waits for another."""

from datetime import timedelta

from ficha.core.db import Database
from ficha.jobs.kinds import Job, JobClaim, Kind
from ficha.jobs.queue import put
from ficha.jobs.statements import claim, claim_more
from tests.clock import MovableClock
from tests.jobs.conftest import Start
from tests.run_due import run_due
from tests.waiting import eventually

JOBS = 20
LEASE = timedelta(minutes=1)


def put_many(database: Database) -> None:
    with database.writing() as tx:
        for number in range(JOBS):
            put(tx, "count", {"n": number})


def test_the_next_job_is_claimed_with_the_end_of_the_one_before(database: Database) -> None:
    put_many(database)
    numbers: list[int] = []
    commits: list[str] = []
    database.on_statement = lambda sql: commits.append(sql) if sql == "COMMIT" else None
    run_due(database, [Kind("count", lambda job: numbers.append(job.payload["n"]))])
    assert numbers == list(range(JOBS))
    assert len(commits) == JOBS + 2, "one for each, one to take over and one for the first claim"


def test_a_runner_takes_an_urgent_job_before_those_that_waited_longer(database: Database, start: Start) -> None:
    numbers: list[int] = []

    def count(job: Job) -> None:
        if not numbers:
            with database.writing() as tx:
                put(tx, "count", {"n": -1}, urgent=True)
        numbers.append(job.payload["n"])

    put_many(database)
    start(Kind("count", count), threads=1)
    eventually(lambda: len(numbers) == JOBS + 1)
    assert numbers[:2] == [0, -1]


def test_a_job_that_another_transaction_is_taking_is_passed_over(database: Database) -> None:
    """On PostgreSQL, where two may claim at once: neither waits for the other."""
    put_many(database)
    if database.is_sqlite:
        return
    with database.writing() as one, database.writing() as other:
        first = claim(one, "one", LEASE)
        taken = [claim(other, "other", LEASE), *claim_more(other, not_none(first), 3)]
    assert [not_none(each).job.payload["n"] for each in (first, *taken)] == [0, 1, 2, 3, 4]


def test_what_was_put_without_a_time_is_due_by_a_clock_that_is_behind(database: Database, clock: MovableClock) -> None:
    """Those of two machines may differ, and an alert does not wait until they agree."""
    with database.writing() as tx:
        put(tx, "count", {"n": 1}, at=clock.now())
        put(tx, "count", {"n": 2}, at=clock.now() + timedelta(seconds=1))
        put(tx, "count", {"n": 3})
    clock.move(seconds=-5)
    numbers: list[int] = []
    run_due(database, [Kind("count", lambda job: numbers.append(job.payload["n"]))])
    assert numbers == [1, 3]


def not_none(claimed: JobClaim | None) -> JobClaim:
    assert claimed is not None
    return claimed
