"""Notifications that this very process has not answered yet. Whoever deals with earlier ones here makes way for them:
they share one interpreter with him, and on SQLite one writer."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

# Those who were answered together ask again together: so long must nobody have come before the rush is over.
QUIET_SECONDS = 0.004


class IntakePriority:
    """Entered and left on the event loop, watched from a job's thread."""

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

    def make_way(self, seconds: float) -> None:
        """Until nobody comes, and no longer than that: what was said before must get its turn too."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and self._is_on():
            time.sleep(min(QUIET_SECONDS, left))

    def _is_on(self) -> bool:
        return self._unanswered > 0 or time.monotonic() - self._latest < QUIET_SECONDS


INTAKE_PRIORITY = IntakePriority()
