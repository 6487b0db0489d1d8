"""Several processes, some of which die: real ones, killed with a real SIGKILL."""

import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from ficha.core.db import Database
from ficha.core.writer_turns import WriterTurns
from ficha.jobs.queue import count_waiting, dead_jobs, put
from tests.databases import is_quiet
from tests.jobs.process import gate_of
from tests.jobs.process import main as run_jobs
from tests.processes import kill, start, stop
from tests.waiting import eventually

pytestmark = pytest.mark.slow

Spawn = Callable[..., ForkServerProcess]
# No living process is silent for that long, however busy this machine is: with a shorter lease it takes its own job
# again, as if another had died.
PATIENT = 4.0


@dataclass(frozen=True)
class Line:
    what: str
    kind: str
    job: int
    attempt: int
    process: int
    at: int


@pytest.fixture
def job_log(tmp_path: Path) -> Path:
    file = tmp_path / "job_log"
    file.touch()
    return file


@pytest.fixture
def spawn(database_url: str, job_log: Path) -> Iterator[Spawn]:
    processes: list[ForkServerProcess] = []

    def spawn(threads: int = 2, lease_seconds: float = 1.2) -> ForkServerProcess:
        processes.append(start(run_jobs, database_url, job_log, threads, lease_seconds))
        return processes[-1]

    yield spawn
    for process in processes:
        kill(process)


def all_of(job_log: Path) -> list[Line]:
    words = [line.split() for line in job_log.read_text().splitlines()]
    return [Line(what, kind, int(job), int(attempt), int(pid), int(at)) for what, kind, job, attempt, pid, at in words]


def lines_of(job_log: Path) -> list[Line]:
    return [line for line in all_of(job_log) if line.what in ("begin", "end")]


def outcomes_of(job_log: Path) -> set[tuple[str, int]]:
    return {(line.what, line.process) for line in all_of(job_log)} - {
        (line.what, line.process) for line in lines_of(job_log)
    }


def freeze(pid: int, database: Database) -> None:
    """At a moment in which it holds no lock: everybody else would wait for it."""
    with nobody_else_writes(database):
        while True:
            os.kill(pid, signal.SIGSTOP)
            eventually(lambda: threads_of(pid) == {"T"})
            if is_quiet(database):
                return
            os.kill(pid, signal.SIGCONT)


@contextmanager
def nobody_else_writes(database: Database) -> Iterator[None]:
    """SQLite's one write lock is held here, and so is the turn to ask for it, which others keep while they wait."""
    if not database.is_sqlite:
        yield
        return
    file = database.engine.url.database or ""
    turns = WriterTurns(file, seconds=60)
    with turns.turn(), closing(sqlite3.connect(file, timeout=60, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
    turns.close()


def threads_of(pid: int) -> set[str]:
    """In which states they are, as the system calls them: a signal reaches one after the other."""
    lines = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/stat")]
    return {line.rpartition(") ")[2][0] for line in lines}


def test_another_process_takes_over_from_a_killed_one(database: Database, spawn: Spawn, job_log: Path) -> None:
    first = spawn(lease_seconds=PATIENT)
    with database.writing() as tx:
        put(tx, "stuck_once", {})
    eventually(lambda: lines_of(job_log))
    second = spawn(lease_seconds=PATIENT)
    kill(first)
    eventually(lambda: len(lines_of(job_log)) == 3)
    begun, again, end = lines_of(job_log)
    assert (begun.process, again.process, end.process) == (first.pid, second.pid, second.pid)
    assert (begun.job, again.job, again.attempt) == (end.job, end.job, 2)


def test_a_job_is_not_taken_from_a_living_process(database: Database, spawn: Spawn, job_log: Path) -> None:
    """It is stuck for several leases, and the heartbeat of its process keeps it. The stop then gives it back."""
    first = spawn(lease_seconds=3)
    with database.writing() as tx:
        put(tx, "stuck_once", {})
    eventually(lambda: lines_of(job_log))
    second = spawn(lease_seconds=3)
    second.join(4)
    assert second.is_alive() and len(lines_of(job_log)) == 1
    assert stop(first) == 0, "a job that hangs does not hold up the end of its process"
    eventually(lambda: len(lines_of(job_log)) == 3)
    assert lines_of(job_log)[-1].process == second.pid


def test_who_wakes_up_too_late_cannot_end_the_job_of_another(database: Database, spawn: Spawn, job_log: Path) -> None:
    first = spawn(lease_seconds=PATIENT)
    with database.writing() as tx:
        put(tx, "gated", {})
    eventually(lambda: lines_of(job_log))
    assert first.pid and not gate_of(job_log, first.pid).exists()
    freeze(first.pid, database)
    second = spawn(lease_seconds=PATIENT)
    eventually(lambda: len(lines_of(job_log)) == 2)
    gate_of(job_log, first.pid).touch()
    os.kill(first.pid, signal.SIGCONT)  # It ends now, while the second is in the middle of it.
    eventually(lambda: len(lines_of(job_log)) == 3)
    assert second.pid
    gate_of(job_log, second.pid).touch()
    eventually(lambda: len(lines_of(job_log)) == 4)
    assert [(line.what, line.process) for line in lines_of(job_log)] == [
        ("begin", first.pid),
        ("begin", second.pid),
        ("end", first.pid),
        ("end", second.pid),
    ]
    eventually(lambda: {("lost", first.pid), ("done", second.pid)} <= outcomes_of(job_log))
    assert stop(second) == 0
    with database.writing() as tx:
        put(tx, "short", {})
    eventually(lambda: len(lines_of(job_log)) == 6)
    assert {line.process for line in lines_of(job_log)[4:]} == {first.pid}, "it goes on working"
    with database.reading() as tx:
        assert count_waiting(tx) == {} and dead_jobs(tx) == []


def test_a_job_that_kills_its_process_ends_dead(database: Database, spawn: Spawn, job_log: Path) -> None:
    with database.writing() as tx:
        put(tx, "killer", {})
        for _ in range(5):
            put(tx, "short", {})
    for _ in range(2):
        process = spawn()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
    spawn()

    def is_over() -> bool:
        with database.reading() as tx:
            return bool(dead_jobs(tx)) and not count_waiting(tx)

    eventually(is_over)
    with database.reading() as tx:
        (dead,) = dead_jobs(tx)
    assert (dead.kind, dead.attempts, dead.error) == ("killer", 2, "WorkerLost")
    lines = lines_of(job_log)
    assert [line.attempt for line in lines if line.kind == "killer"] == [1, 2]
    eventually(lambda: len({line.job for line in lines_of(job_log) if line.what == "end"}) == 5)


def test_no_job_runs_twice_when_nobody_dies(database: Database, spawn: Spawn, job_log: Path) -> None:
    jobs = 200
    for _ in range(3):
        spawn(threads=3, lease_seconds=60)  # Nor does anybody look dead, however slow this machine is.
    for _ in range(4):
        with database.writing() as tx:
            for _ in range(jobs // 4):
                put(tx, "short", {})
    eventually(lambda: sum(line.what == "end" for line in lines_of(job_log)) >= jobs)
    lines = lines_of(job_log)
    assert len(lines) == 2 * jobs
    assert len({line.job for line in lines if line.what == "begin"}) == jobs
    assert {line.attempt for line in lines} == {1}


def test_no_job_runs_twice_at_once_while_processes_die(database: Database, spawn: Spawn, job_log: Path) -> None:
    """An attempt that was killed has no end; every other one ends before the next begins."""
    jobs = 600  # So many that some are left when the second process dies, however quick the others are.
    processes = [spawn(lease_seconds=PATIENT) for _ in range(3)]
    with database.writing() as tx:
        for _ in range(jobs):
            put(tx, "short", {})
    for process in processes[:2]:
        before = len(lines_of(job_log))
        eventually(lambda before=before: len(lines_of(job_log)) > before)  # type: ignore[misc]
        kill(process)
        spawn(lease_seconds=PATIENT)
    eventually(lambda: len({line.job for line in lines_of(job_log) if line.what == "end"}) == jobs)
    killed = {process.pid for process in processes[:2]}
    lines = lines_of(job_log)
    for job in {line.job for line in lines}:
        own = sorted((line for line in lines if line.job == job), key=lambda line: line.at)
        alive = [line for line in own if line.process not in killed]
        assert [line.what for line in alive] == (["begin", "end"] * len(alive))[: len(alive)]
        assert [line.attempt for line in own] == sorted(line.attempt for line in own)
