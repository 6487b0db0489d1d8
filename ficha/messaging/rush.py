"""Notifications that this very process has not answered yet. Whoever deals with earlier ones here makes way for them:
they share one interpreter with him, and on SQLite one writer."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event


class Rush:
    """Entered and left on the event loop, watched from a job's thread."""

    def __init__(self) -> None:
        self._unanswered = 0
        self._nobody = Event()
        self._nobody.set()

    @contextmanager
    def unanswered(self) -> Iterator[None]:
        self._unanswered += 1
        self._nobody.clear()
        try:
            yield
        finally:
            self._unanswered -= 1
            if not self._unanswered:
                self._nobody.set()

    def make_way(self, seconds: float) -> None:
        """Until nobody waits, and no longer than that: what was said before must get its turn too."""
        self._nobody.wait(seconds)


RUSH = Rush()
