"""A thread that looks after a runner: heartbeats, take-overs, schedules, each in its own rhythm."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread

from ficha.core.db import LOCK_WAIT_SECONDS
from ficha.core.log import log

# A chore may wait for a lock, and a database may restart. Longer than this, something is wrong.
PATIENCE_SECONDS = 3 * LOCK_WAIT_SECONDS


@dataclass
class Task:
    run: Callable[[], None]
    every: float
    next_at: float = 0.0
    done_at: float = field(default_factory=time.monotonic)

    @property
    def is_overdue(self) -> bool:
        return time.monotonic() > self.done_at + self.every + PATIENCE_SECONDS


class Housekeeper:
    def __init__(self, chores: Sequence[Task]) -> None:
        self._chores = chores
        self._stopped = Event()
        self._thread = Thread(target=self._keep, name="jobs-keeper", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._thread.is_alive() and not any(chore.is_overdue for chore in self._chores)

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(LOCK_WAIT_SECONDS)

    def _keep(self) -> None:
        while not self._stopped.is_set():
            for chore in self._chores:
                if time.monotonic() >= chore.next_at:
                    self._do(chore)
            self._stopped.wait(max(0.0, min(chore.next_at for chore in self._chores) - time.monotonic()))

    def _do(self, chore: Task) -> None:
        chore.next_at = time.monotonic() + chore.every
        try:
            chore.run()
        except Exception as error:  # A busy or absent database passes; the keeper must not.
            log().warning("jobs.chore_failed", chore=chore.run.__name__, error=type(error).__name__)
        else:
            chore.done_at = time.monotonic()
