"""Runs the jobs of a database in threads of this process."""

import os
import random
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from threading import Event, Thread

from ficha.core.db import Database
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs import statements
from ficha.jobs.executor import JobExecutor
from ficha.jobs.kinds import JobClaim, Kind
from ficha.jobs.periodic_tasks import PeriodicTasks, Task
from ficha.jobs.schedule import enter_schedule, put_scheduled, schedule_of
from ficha.jobs.wakeup import JobListener, job_signal

# The signal and the periodic tasks wake the threads; this limit is only in case of a mistake.
LONGEST_SLEEP_SECONDS = 30.0


def start_runner(
    database: Database,
    kinds: Iterable[Kind],
    *,
    threads: int = 4,
    lease_seconds: float = 30,
    poll_seconds: float = 1,
    on_done: Callable[[str, str], None] | None = None,
    apart: Sequence[Task] = (),
) -> "Runner":
    """Runs jobs in threads of this process. `on_done` is called with each kind and outcome: done, retry, dead or lost.
    What waits for strangers is done `apart`, in one thread of its own: no job ever waits for it.

    A process that has called `stop` should end: a job that was given back may still run in its thread.
    """
    executor = JobExecutor(database, kinds, timedelta(seconds=lease_seconds), on_done)
    schedule = schedule_of(executor.kinds.values())

    def put_due() -> None:
        put_scheduled(database, schedule)

    if schedule:
        enter_schedule(database, schedule)
    return Runner(executor, [Task(put_due, poll_seconds)] if schedule else [], threads, poll_seconds, apart)


class Runner:
    def __init__(
        self, executor: JobExecutor, tasks: list[Task], threads: int, poll_seconds: float, apart: Sequence[Task] = ()
    ) -> None:
        self._executor = executor
        self._database = executor.database
        self._worker = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._stopping = Event()
        heartbeat_seconds = executor.lease.total_seconds() / 3
        self._periodic_tasks = PeriodicTasks(
            [
                Task(self._extend_leases, heartbeat_seconds),
                Task(self._wake_when_due, poll_seconds),
                Task(executor.take_over, heartbeat_seconds),
                *tasks,
            ]
        )
        # Not asked whether it is alive: how long it takes is up to strangers.
        self._apart = PeriodicTasks(apart, "jobs-apart") if apart else None
        self._listener = None if self._database.is_sqlite else JobListener(self._database)
        self._threads = [Thread(target=self._run_jobs, name=f"jobs-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether its threads live and the database has answered lately."""
        is_listening = self._listener is None or self._listener.is_alive
        return is_listening and self._periodic_tasks.is_alive and all(thread.is_alive() for thread in self._threads)

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""
        deadline = time.monotonic() + timeout
        self._stopping.set()
        job_signal.notify_all()
        if self._apart is not None:
            self._apart.stop(0)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._executor.give_back()
        if self._apart is not None:
            self._apart.stop(max(0.0, deadline - time.monotonic()))
        self._periodic_tasks.stop()
        if self._listener is not None:
            self._listener.stop()

    def _run_jobs(self) -> None:
        while not self._stopping.is_set():
            seen = job_signal.count
            try:
                claimed = self._claim()
                if not claimed:
                    self._wait_until_due(seen)
                while claimed:
                    claimed = self._executor.run(claimed, self._claim_in)
            except Exception as error:  # Usually a busy database: try again, not all at the same moment.
                log().warning("jobs.turn_failed", error=type(error).__name__)
                self._stopping.wait(random.uniform(0.05, 0.5))  # noqa: S311

    def _claim(self) -> Sequence[JobClaim]:
        """Each thread that begins to work wakes another one if there is more to do: a signal wakes a single one."""
        with self._database.writing() as tx:
            claimed = self._claim_in(tx)
            has_more = bool(claimed) and statements.has_due(tx, self._worker)
        if has_more:
            job_signal.notify()
        return claimed

    def _claim_in(self, tx: Transaction) -> Sequence[JobClaim]:
        if self._stopping.is_set():
            return ()
        return self._executor.with_more(tx, statements.claim(tx, self._worker, self._executor.lease))

    def _wait_until_due(self, seen: int) -> None:
        """A thread that is woken reads first, so that it takes SQLite's one write lock only when there is a job."""
        while not self._stopping.is_set():
            job_signal.wait(seen, LONGEST_SLEEP_SECONDS)
            seen = job_signal.count
            if self._is_due():
                return

    def _is_due(self) -> bool:
        with self._database.reading() as tx:
            return statements.has_due(tx, self._worker)

    def _wake_when_due(self) -> None:
        """For jobs whose time has come, and those that other processes put."""
        if self._is_due():
            job_signal.notify()

    def _extend_leases(self) -> None:
        if ids := [claim.job.id for claim in self._executor.held]:
            with self._database.writing() as tx:
                statements.extend_leases(tx, self._worker, ids, self._executor.lease)
