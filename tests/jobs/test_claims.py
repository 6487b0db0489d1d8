"""The queue's own transactions: as few as possible, and none for a process that others took for dead."""

from sqlalchemy import text

from ficha.core.db import Database
from ficha.jobs import postgres_engine
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import count_waiting, put
from ficha.jobs.run_due import run_due
from tests.jobs.conftest import Start
from tests.waiting import eventually

JOBS = 20


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


def test_a_worker_that_was_removed_claims_nothing(database: Database) -> None:
    if database.is_sqlite:
        return  # It knows no workers, only leases.
    put_many(database)
    with database.writing() as tx:
        worker = str(tx.orm.scalar(text("INSERT INTO procrastinate_workers DEFAULT VALUES RETURNING id")))
    with database.writing() as tx:
        claim = postgres_engine.claim_for_worker(tx, worker)
        assert claim is not None and claim.worker == worker and claim.job.payload == {"n": 0}
    with database.writing() as tx:
        tx.orm.execute(text("DELETE FROM procrastinate_workers"))
    with database.writing() as tx:
        assert postgres_engine.claim_for_worker(tx, worker) is None
        assert count_waiting(tx) == {"count": JOBS - 1}
