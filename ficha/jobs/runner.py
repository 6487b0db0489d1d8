"""Starts whoever runs the jobs of a database."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Protocol

from ficha.core.clock import Clock, SystemClock
from ficha.core.db import Database
from ficha.jobs import postgres_engine, sqlite_engine
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Task
from ficha.jobs.kinds import Kind
from ficha.jobs.schedule import enter_schedule, put_scheduled, schedule_of
from ficha.jobs.sqlite_runner import SqliteRunner


class Runner(Protocol):
    @property
    def is_alive(self) -> bool:
        """Whether its threads are, and the database has answered lately."""

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""


def start_runner(
    database: Database,
    kinds: Iterable[Kind],
    *,
    clock: Clock,
    threads: int = 4,
    lease_seconds: float = 30,
    poll_seconds: float = 1,
    on_done: Callable[[str, str], None] | None = None,
) -> Runner:
    """Runs jobs in threads of this process. `on_done` hears each kind and outcome: done, retry, dead or lost.

    A process that has called `stop` should end: a job that was given back may still run in its thread.
    """
    known = {kind.name: kind for kind in kinds}
    lease = timedelta(seconds=lease_seconds)
    if database.is_sqlite:
        workshop = JobExecutor(database, sqlite_engine, known, clock, lease, on_done)
    else:
        # Procrastinate asks the database for the time, so what waits there waits by real time.
        workshop = JobExecutor(database, postgres_engine, known, SystemClock(), lease, on_done)

    schedule = schedule_of(known.values())

    def put_what_is_due() -> None:
        put_scheduled(database, schedule, clock.now())

    if schedule:
        enter_schedule(database, schedule, clock.now())
    chores = [Task(put_what_is_due, poll_seconds)] if schedule else []
    if database.is_sqlite:
        return SqliteRunner(workshop, chores, threads, poll_seconds)
    # Only here: a service on SQLite has no use for it.
    from ficha.jobs.postgres_runner import PostgresRunner  # noqa: PLC0415

    return PostgresRunner(workshop, chores, threads, poll_seconds)
