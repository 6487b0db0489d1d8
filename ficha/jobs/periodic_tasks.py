"""A thread for small tasks, each at its own interval: a runner's heartbeats, take-overs and schedules, for example."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread

from ficha.core.engines import LOCK_WAIT_SECONDS
from ficha.core.log import log

# A task may wait for a lock, and a database may restart. Longer than this, something is wrong.
OVERDUE_SECONDS = 3 * LOCK_WAIT_SECONDS


@dataclass
class Task:
    run: Callable[[], None]
    every: float
    next_at: float = 0.0
    done_at: float = field(default_factory=time.monotonic)

    @property
    def is_overdue(self) -> bool:
        return time.monotonic() > self.done_at + self.every + OVERDUE_SECONDS


class PeriodicTasks:
    def __init__(self, tasks: Sequence[Task], name: str = "jobs-housekeeper") -> None:
        self._tasks = tasks
        self._stopped = Event()
        self._thread = Thread(target=self._run_tasks, name=name, daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not any(task.is_overdue for task in self._tasks)

    def stop(self, timeout: float = LOCK_WAIT_SECONDS) -> None:
        self._stopped.set()
        self._thread.join(timeout)

    def _run_tasks(self) -> None:
        while not self._stopped.is_set():
            for task in self._tasks:
                if time.monotonic() >= task.next_at:
                    self._run(task)
            self._stopped.wait(max(0.0, min(task.next_at for task in self._tasks) - time.monotonic()))

    def _run(self, task: Task) -> None:
        task.next_at = time.monotonic() + task.every
        try:
            task.run()
        except Exception as error:  # A busy or absent database is temporary; this thread must not end.
            log().warning("jobs.chore_failed", chore=task.run.__name__, error=type(error).__name__)
        else:
            task.done_at = time.monotonic()
