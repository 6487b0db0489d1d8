"""Counts for rate limits in this process's memory: what the `limits` library's sliding window counts, in one call.

The library's own memory starts a timer for every few requests, which then looks at every count there is; and its
calls around a count cost three times as much as a lookup in the database.
"""

from math import floor, inf
from threading import Lock
from typing import NamedTuple

from ficha.core.clock import Clock

# Counts are looked through for old ones when there are twice as many as after the last time, and not before this.
FEWEST = 1024


class Limit(NamedTuple):
    """How many times in how many seconds."""

    amount: int
    seconds: int


class Counted(NamedTuple):
    """Whether this one was still within the limit, how many are left, and after how many seconds there is one more."""

    allowed: bool
    remaining: int
    reset: float


class Window:
    """How many came in the window that is running, and in the one before it."""

    __slots__ = ("current", "number", "previous", "seconds")

    def __init__(self, number: int, seconds: int) -> None:
        self.number, self.seconds = number, seconds
        self.previous = self.current = 0

    def move_to(self, number: int) -> None:
        if number != self.number:
            self.previous = self.current if number == self.number + 1 else 0
            self.current, self.number = 0, number


class MemoryWindows:
    name = "memory"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._windows: dict[tuple[str, str], Window] = {}
        self._look_through_at = FEWEST

    def hit(self, limit: Limit, name: str, who: str) -> Counted:
        now = self._clock.now().timestamp()
        amount, seconds = limit
        with self._lock:
            window = self._window((name, who), seconds, now)
            left = seconds - now % seconds
            # The window before counts for as much as of it is still within the last `seconds`.
            weighted = window.previous * left / seconds
            allowed = floor(weighted + window.current) + 1 <= amount
            window.current += allowed
            previous, current = window.previous, window.current
        reset = min(left % (seconds / previous) if previous else inf, left % seconds if current else inf)
        return Counted(allowed, max(0, amount - floor(weighted + current)), 0.0 if reset == inf else reset)

    def forget(self, limit: Limit, name: str, who: str) -> None:
        with self._lock:
            self._windows.pop((name, who), None)

    def reset(self) -> None:
        with self._lock:
            self._windows.clear()

    def is_up(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._windows)

    def _window(self, key: tuple[str, str], seconds: int, now: float) -> Window:
        number = int(now // seconds)
        window = self._windows.get(key)
        if window is None:
            if len(self._windows) >= self._look_through_at:
                self._drop_old(now)
            window = self._windows[key] = Window(number, seconds)
        window.move_to(number)
        return window

    def _drop_old(self, now: float) -> None:
        """Each count is looked at once for each that was added, whatever their number."""
        self._windows = {
            key: window for key, window in self._windows.items() if window.number + 1 >= now // window.seconds
        }
        self._look_through_at = max(FEWEST, 2 * len(self._windows))
