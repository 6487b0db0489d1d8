"""A circuit breaker: after several failures in a row the platform is left alone for a while, and then tried once."""

import time
from collections.abc import Callable
from threading import Lock

from ficha.channels.errors import NotSent

FAILURES = 5
PAUSE_SECONDS = 10.0


class PlatformResting(NotSent):
    """It failed several times, and is not asked for now."""


class CircuitBreaker:
    """Safe to use from many threads. `clock` counts seconds."""

    def __init__(
        self,
        failures: int = FAILURES,
        pause_seconds: float = PAUSE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most, self._pause, self._clock = failures, pause_seconds, clock
        self._lock = Lock()
        self._failures = 0
        self._opens_at = 0.0

    def check(self) -> None:
        """Raises PlatformResting with the seconds that are left. After the pause one call is let through: until it has
        ended, the others wait for another pause."""
        with self._lock:
            if self._failures < self._most:
                return
            left = self._opens_at - self._clock()
            if left > 0:
                raise PlatformResting("chatwoot: resting", retry_after=left)
            self._opens_at = self._clock() + self._pause

    def succeeded(self) -> None:
        with self._lock:
            self._failures = 0

    def failed(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= self._most:
                self._opens_at = self._clock() + self._pause

    @property
    def is_open(self) -> bool:
        with self._lock:
            return self._failures >= self._most and self._opens_at > self._clock()
