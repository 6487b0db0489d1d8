"""Counts for rate limits in this process's memory: a storage for the `limits` library, without a thread of its own.

The library's own starts a timer for every few requests, which then looks at every count there is.
"""

import time
from math import floor
from threading import Lock

from limits.storage import Storage
from limits.storage.base import SlidingWindowCounterSupport

# Counts are looked through for old ones when there are twice as many as after the last time, and not before this.
FEWEST = 1024


class Window:
    """How many came in the window that is running, and in the one before it."""

    __slots__ = ("current", "expiry", "number", "previous")

    def __init__(self, number: int, expiry: int) -> None:
        self.number, self.expiry = number, expiry
        self.previous = self.current = 0

    def move_to(self, number: int) -> None:
        if number != self.number:
            self.previous = self.current if number == self.number + 1 else 0
            self.current, self.number = 0, number

    def counts(self, now: float) -> tuple[int, float, int, float]:
        """The window before and how long it still counts, the one that is running and how long that will count."""
        left = self.expiry - now % self.expiry
        return self.previous, left if self.previous else 0.0, self.current, left + self.expiry


class MemoryWindows(Storage, SlidingWindowCounterSupport):
    STORAGE_SCHEME = ["ficha-memory"]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._lock = Lock()
        self._windows: dict[str, Window] = {}
        self._look_through_at = FEWEST

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def acquire_sliding_window_entry(self, key: str, limit: int, expiry: int, amount: int = 1) -> bool:
        now = time.time()
        with self._lock:
            window = self._window(key, expiry, now)
            previous, previous_left, current, _ = window.counts(now)
            if floor(previous * previous_left / expiry + current) + amount > limit:
                return False
            window.current += amount
            return True

    def get_sliding_window(self, key: str, expiry: int) -> tuple[int, float, int, float]:
        now = time.time()
        with self._lock:
            return self._window(key, expiry, now).counts(now)

    def clear_sliding_window(self, key: str, expiry: int) -> None:
        self.clear(key)

    def clear(self, key: str) -> None:
        with self._lock:
            self._windows.pop(key, None)

    def reset(self) -> int:
        with self._lock:
            count = len(self._windows)
            self._windows.clear()
            return count

    def check(self) -> bool:
        return True

    def __len__(self) -> int:
        return len(self._windows)

    # Of the library's other strategies, which are not used.
    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        raise NotImplementedError

    def get(self, key: str) -> int:
        raise NotImplementedError

    def get_expiry(self, key: str) -> float:
        raise NotImplementedError

    def _window(self, key: str, expiry: int, now: float) -> Window:
        number = int(now // expiry)
        window = self._windows.get(key)
        if window is None:
            if len(self._windows) >= self._look_through_at:
                self._drop_old(now)
            window = self._windows[key] = Window(number, expiry)
        window.move_to(number)
        return window

    def _drop_old(self, now: float) -> None:
        """Each count is looked at once for each that was added, whatever their number."""
        self._windows = {
            key: window for key, window in self._windows.items() if window.number + 1 >= now // window.expiry
        }
        self._look_through_at = max(FEWEST, 2 * len(self._windows))
