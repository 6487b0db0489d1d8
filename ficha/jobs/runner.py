"""Starts whoever runs the jobs of a database."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Protocol

from ficha.core.clock import Clock, SystemClock
from ficha.core.db import Database
from ficha.jobs import postgres_engine, sqlite_engine
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Task
from ficha.jobs.kinds import Kind, Scheduled
from ficha.jobs.schedule import enter, put_what_is_due
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
    scheduled: Iterable[Scheduled] = (),
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
    plan = list(scheduled)
    for item in plan:
        if item.kind not in known:
            raise ValueError(f"{item.kind} is scheduled, but there is no such kind")
    lease = timedelta(seconds=lease_seconds)
    if database.is_sqlite:
        workshop = JobExecutor(database, sqlite_engine, known, clock, lease, on_done)
    else:
        # Procrastinate asks the database for the time, so what waits there waits by real time.
        workshop = JobExecutor(database, postgres_engine, known, SystemClock(), lease, on_done)

    def put_scheduled() -> None:
        put_what_is_due(database, plan, clock.now())

    if plan:
        with database.writing() as session:
            enter(session, plan, clock.now())
    chores = [Task(put_scheduled, poll_seconds)] if plan else []
    if database.is_sqlite:
        return SqliteRunner(workshop, chores, threads, poll_seconds)
    # Only here: a service on SQLite has no use for it.
    from ficha.jobs.postgres_runner import PostgresRunner  # noqa: PLC0415

    return PostgresRunner(workshop, chores, threads, poll_seconds)
