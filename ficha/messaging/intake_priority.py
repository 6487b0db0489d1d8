"""Lets the webhook answer first: the job that processes earlier notifications waits while new ones arrive, because both
share one interpreter, and on SQLite one writer."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# Clients that were answered together call again together, so a short silence does not yet mean that none will come.
QUIET_SECONDS = 0.004


class IntakePriority:
    """Counts the requests that wait for an answer. Used on the event loop, and read from a job's thread."""

    def __init__(self) -> None:
        self._unanswered = 0
        self._latest = 0.0

    @contextmanager
    def unanswered(self) -> Iterator[None]:
        self._unanswered += 1
        try:
            yield
        finally:
            self._unanswered -= 1
            self._latest = time.monotonic()

    def wait_for_intake(self, seconds: float) -> None:
        """Returns once no request waits, or after `seconds`: the earlier notifications must be processed too."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._is_busy():
            time.sleep(min(QUIET_SECONDS, left))

    def _is_busy(self) -> bool:
        return self._unanswered > 0 or time.monotonic() - self._latest < QUIET_SECONDS


INTAKE_PRIORITY = IntakePriority()
