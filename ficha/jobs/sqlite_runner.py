"""Runs the jobs of SQLite's table in threads of this process."""

import os
import random
import secrets
import socket
import time
from collections.abc import Sequence
from threading import Event, Thread

from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs import sqlite_engine
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Housekeeper, Task
from ficha.jobs.kinds import JobClaim
from ficha.jobs.wakeup import job_signal

# The signal and the housekeeper wake the threads; this limit is only in case of a mistake.
LONGEST_SLEEP_SECONDS = 30.0


class SqliteRunner:
    def __init__(self, executor: JobExecutor, tasks: list[Task], threads: int, poll_seconds: float) -> None:
        self._executor = executor
        self._worker = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._stopping = Event()
        heartbeat_seconds = executor.lease.total_seconds() / 3
        self._housekeeper = Housekeeper(
            [
                Task(self._extend_leases, heartbeat_seconds),
                Task(self._wake_when_due, poll_seconds),
                Task(executor.take_over, heartbeat_seconds),
                *tasks,
            ]
        )
        self._threads = [Thread(target=self._run_jobs, name=f"jobs-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def is_alive(self) -> bool:
        return self._housekeeper.is_alive and all(thread.is_alive() for thread in self._threads)

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""
        deadline = time.monotonic() + timeout
        self._stopping.set()
        job_signal.notify_all()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._executor.give_back()
        self._housekeeper.stop()

    def _run_jobs(self) -> None:
        while not self._stopping.is_set():
            seen = job_signal.count
            try:
                claims = self._claim()
                if not claims:
                    self._wait_until_due(seen)
                while claims:
                    claims = self._executor.run(claims, self._claim_in)
            except Exception as error:  # Usually a busy database: try again, not all at the same moment.
                log().warning("jobs.turn_failed", error=type(error).__name__)
                self._stopping.wait(random.uniform(0.05, 0.5))  # noqa: S311

    def _claim(self) -> Sequence[JobClaim]:
        """Each thread that begins to work wakes another one if there is more to do: a signal wakes a single one."""
        with self._executor.database.writing() as tx:
            claims = self._claim_in(tx)
            has_more = bool(claims) and sqlite_engine.has_due(tx, self._worker)
        if has_more:
            job_signal.notify()
        return claims

    def _claim_in(self, tx: Transaction) -> Sequence[JobClaim]:
        if self._stopping.is_set():
            return ()
        first = sqlite_engine.claim(tx, self._worker, self._executor.lease)
        return self._executor.with_more(tx, first)

    def _wait_until_due(self, seen: int) -> None:
        """A thread that is woken reads first, so that it takes the one write lock only when there is a job."""
        while not self._stopping.is_set():
            job_signal.wait(seen, LONGEST_SLEEP_SECONDS)
            seen = job_signal.count
            if self._is_due():
                return

    def _is_due(self) -> bool:
        with self._executor.database.reading() as tx:
            return sqlite_engine.has_due(tx, self._worker)

    def _wake_when_due(self) -> None:
        """For jobs whose time has come, and those that other processes put."""
        if self._is_due():
            job_signal.notify()

    def _extend_leases(self) -> None:
        if ids := [claim.job.id for claim in self._executor.held]:
            with self._executor.database.writing() as tx:
                sqlite_engine.extend_leases(tx, self._worker, ids, self._executor.lease)
