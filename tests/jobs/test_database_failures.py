"""Databases that are busy or hang up: no job is lost, and the runner goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from ficha.core.db import Database
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import count_waiting, dead_jobs, put
from ficha.jobs.runner import start_runner
from tests.jobs.conftest import Start
from tests.waiting import eventually

pytestmark = pytest.mark.oldest_postgresql


class BusyDatabase(Database):
    """Refuses every other write, as one does whose lock another process holds."""

    writes = count()

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        if next(self.writes) % 2:
            raise OperationalError("BEGIN IMMEDIATE", None, Exception("database is locked"))
        with super().writing() as tx:
            yield tx


def test_a_busy_database_is_waited_for(database: Database, database_url: str) -> None:
    with database.writing() as tx:
        for n in range(6):
            put(tx, "greet", {"n": n})
    seen: list[Job] = []
    busy = BusyDatabase(database_url)
    runner = start_runner(busy, [Kind("greet", seen.append)], threads=2, lease_seconds=3, poll_seconds=0.1)
    eventually(lambda: len(seen) == 6)

    def is_over() -> bool:
        with database.reading() as tx:
            return not count_waiting(tx)

    eventually(is_over)
    assert runner.is_alive
    runner.stop(10)
    busy.close()
    assert sorted(job.payload["n"] for job in seen) == list(range(6))
    assert {job.attempt for job in seen} == {1}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_database_that_hangs_up_is_called_again(database: Database, start: Start) -> None:
    seen: list[Job] = []
    runner = start(Kind("greet", seen.append))
    for n in range(1, 4):
        with database.writing() as tx:
            put(tx, "greet", {})
        eventually(lambda n=n: len(seen) == n)  # type: ignore[misc]
        with database.writing() as tx:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            tx.orm.execute(text(f"{others} AND pid <> pg_backend_pid()"))
    with database.reading() as tx:
        assert dead_jobs(tx) == []
    eventually(lambda: runner.is_alive)
