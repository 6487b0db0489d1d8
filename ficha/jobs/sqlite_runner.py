"""Runs the leased table's jobs in threads of this process."""

import os
import random
import secrets
import socket
import time
from threading import Event, Thread

from ficha.core.log import log
from ficha.jobs import sqlite_engine
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Housekeeper, Task
from ficha.jobs.kinds import Claim
from ficha.jobs.wakeup import bell

# The bell and the keeper wake who sleeps; this is only so that no mistake lasts.
LONGEST_SLEEP_SECONDS = 30.0


class SqliteRunner:
    def __init__(self, workshop: JobExecutor, chores: list[Task], threads: int, poll_seconds: float) -> None:
        self._workshop = workshop
        self._worker = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self._stopping = Event()
        beat_seconds = workshop.lease.total_seconds() / 3
        self._keeper = Housekeeper(
            [
                Task(self._extend_leases, beat_seconds),
                Task(self._ring_when_due, poll_seconds),
                Task(workshop.take_over, beat_seconds),
                *chores,
            ]
        )
        self._threads = [Thread(target=self._labour, name=f"jobs-{n}", daemon=True) for n in range(threads)]
        for thread in self._threads:
            thread.start()

    @property
    def is_alive(self) -> bool:
        return self._keeper.is_alive and all(thread.is_alive() for thread in self._threads)

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""
        deadline = time.monotonic() + timeout
        self._stopping.set()
        bell.ring()
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._workshop.give_back()
        self._keeper.stop()

    def _labour(self) -> None:
        while not self._stopping.is_set():
            heard = bell.rings
            try:
                claim = self._claim()
                if claim is not None:
                    self._workshop.work(claim)
                else:
                    self._rest(heard)
            except Exception as error:  # Usually a busy database: try again, not all at the same moment.
                log().warning("jobs.turn_failed", error=type(error).__name__)
                self._stopping.wait(random.uniform(0.05, 0.5))  # noqa: S311

    def _claim(self) -> Claim | None:
        with self._workshop.database.writing() as session:
            return sqlite_engine.claim(session, self._worker, self._workshop.now(), self._workshop.lease)

    def _rest(self, heard: int) -> None:
        """Until there is something to do. Who is woken looks first, and leaves the one write lock to others."""
        while not self._stopping.is_set():
            bell.wait(heard, LONGEST_SLEEP_SECONDS)
            heard = bell.rings
            if self._is_due():
                return

    def _is_due(self) -> bool:
        with self._workshop.database.reading() as session:
            return sqlite_engine.has_due(session, self._worker, self._workshop.now())

    def _ring_when_due(self) -> None:
        """For jobs whose time has come, and those that other processes put."""
        if self._is_due():
            bell.ring()

    def _extend_leases(self) -> None:
        if ids := [claim.job.id for claim in self._workshop.held]:
            with self._workshop.database.writing() as session:
                sqlite_engine.extend(session, self._worker, ids, self._workshop.lease)
