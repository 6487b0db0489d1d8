"""A stop that waits for what is under way, and gives back what takes too long."""

import time
from datetime import timedelta
from threading import Event, Thread

import pytest

from ficha.core.db import Database
from ficha.jobs.executor import JobExecutor
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import count_waiting, dead_jobs, put
from tests.jobs.conftest import Start
from tests.waiting import eventually

pytestmark = pytest.mark.oldest_postgresql


class HeldJob:
    """A job that stays until it is let through."""

    def __init__(self) -> None:
        self.begun = Event()
        self.opened = Event()
        self.done: list[Job] = []

    def __call__(self, job: Job) -> None:
        self.begun.set()
        self.opened.wait(90)
        self.done.append(job)


@pytest.mark.slow
def test_a_stop_waits_for_the_job_under_way_and_takes_no_other(database: Database, start: Start) -> None:
    gate = HeldJob()
    runner = start(Kind("gate", gate), threads=1, lease_seconds=1.5)
    with database.writing() as tx:
        put(tx, "gate", {"n": 1})
        put(tx, "gate", {"n": 2})
    assert gate.begun.wait(60)
    stopping = Thread(target=runner.stop, args=(60,))
    stopping.start()
    time.sleep(2.5)
    assert stopping.is_alive()
    another = JobExecutor(database, [], timedelta(seconds=1.5))
    another.take_over()  # Finds nothing: the heartbeat goes on while the stop waits.
    gate.opened.set()
    stopping.join(60)
    assert not stopping.is_alive() and not runner.is_alive
    assert [(job.payload["n"], job.attempt) for job in gate.done] == [(1, 1)]
    with database.reading() as tx:
        assert count_waiting(tx) == {"gate": 1} and dead_jobs(tx) == []


def test_a_job_that_takes_too_long_is_given_back_at_once(database: Database, start: Start) -> None:
    gate, outcomes = HeldJob(), list[str]()
    runner = start(
        Kind("gate", gate, attempts=1), lease_seconds=60, on_done=lambda _kind, outcome: outcomes.append(outcome)
    )
    with database.writing() as tx:
        put(tx, "gate", {}, key="ana")
    assert gate.begun.wait(60)
    stopped = time.monotonic()
    runner.stop(0.2)
    assert time.monotonic() - stopped < 30
    with database.reading() as tx:
        assert count_waiting(tx) == {"gate": 1}
    second: list[Job] = []
    start(Kind("gate", second.append), lease_seconds=60)
    eventually(lambda: second)
    gate.opened.set()  # The first finds that the job is no longer its own.
    eventually(lambda: gate.done)
    eventually(lambda: outcomes == ["retry"] or outcomes == ["retry", "lost"])
    assert second[0].id == gate.done[0].id and second[0].attempt == 2
    with database.reading() as tx:
        assert count_waiting(tx) == {} and dead_jobs(tx) == []


def test_an_idle_runner_stops_quickly(start: Start) -> None:
    runner = start(Kind("greet", lambda _job: None), poll_seconds=60, lease_seconds=60)
    eventually(lambda: runner.is_alive)
    begun = time.monotonic()
    runner.stop(60)
    assert time.monotonic() - begun < 30
    assert not runner.is_alive


def test_a_runner_can_be_stopped_twice(start: Start) -> None:
    runner = start(Kind("greet", lambda _job: None))
    runner.stop(5)
    runner.stop(5)
