"""What a job is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

Payload = Mapping[str, Any]


@dataclass(frozen=True)
class Job:
    """One piece of work as its function sees it. `id` stays the same over all attempts, the first being 1."""

    id: int
    kind: str
    payload: Payload
    attempt: int


class GiveUp(Exception):
    """Raised by a job's function when trying again cannot help: the job is dead at once."""


@dataclass(frozen=True)
class Kind:
    """A kind of job: its function and how often it is tried.

    The function may run twice for one job (its process dies just before the end is written down), so it must
    do no harm the second time.
    """

    name: str
    run: Callable[[Job], None]
    attempts: int = 10
    first_wait: timedelta = timedelta(seconds=2)
    longest_wait: timedelta = timedelta(minutes=10)
    # Put by itself every so often, once for all processes together.
    every: timedelta | None = None
    # Runs up to `most_together` jobs that are due at once, where that is cheaper than one after another. When it
    # raises, `run` is called for each of them.
    run_together: Callable[[Sequence[Job]], None] | None = None
    most_together: int = 1

    def wait_after(self, attempt: int, chance: float) -> timedelta:
        """How long to wait after a failed attempt: twice as long each time, less up to half by chance (0 to 1)."""
        doubled = self.first_wait.total_seconds() * 2.0 ** min(attempt - 1, 60)
        return timedelta(seconds=min(self.longest_wait.total_seconds(), doubled) * (1 - chance / 2))


@dataclass(frozen=True)
class JobClaim:
    """A job that a worker runs. Only who still holds it, at this very attempt, can write down how it ended."""

    job: Job
    worker: str


@dataclass(frozen=True)
class DeadJob:
    """A job that will not be tried again by itself. `error` is a class name: its text could hold private data."""

    id: int
    kind: str
    attempts: int
    error: str | None
    created_at: datetime
    died_at: datetime
