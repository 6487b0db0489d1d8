"""Starts the threads that run the jobs of a database."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Protocol

from ficha.core.db import Database
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Task
from ficha.jobs.kinds import Kind
from ficha.jobs.schedule import enter_schedule, put_scheduled, schedule_of
from ficha.jobs.sqlite_runner import SqliteRunner


class Runner(Protocol):
    @property
    def is_alive(self) -> bool:
        """Whether its threads live and the database has answered lately."""

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""


def start_runner(
    database: Database,
    kinds: Iterable[Kind],
    *,
    threads: int = 4,
    lease_seconds: float = 30,
    poll_seconds: float = 1,
    on_done: Callable[[str, str], None] | None = None,
) -> Runner:
    """Runs jobs in threads of this process. `on_done` is called with each kind and outcome: done, retry, dead or lost.

    A process that has called `stop` should end: a job that was given back may still run in its thread.
    """
    executor = JobExecutor(database, kinds, timedelta(seconds=lease_seconds), on_done)
    schedule = schedule_of(executor.kinds.values())

    def put_due() -> None:
        put_scheduled(database, schedule)

    if schedule:
        enter_schedule(database, schedule)
    tasks = [Task(put_due, poll_seconds)] if schedule else []
    if database.is_sqlite:
        return SqliteRunner(executor, tasks, threads, poll_seconds)
    # Only here: a service on SQLite has no use for it.
    from ficha.jobs.postgres_runner import PostgresRunner  # noqa: PLC0415

    return PostgresRunner(executor, tasks, threads, poll_seconds)
