"""Whose turn it is to write, among the threads and processes that share one SQLite file.

A writer that SQLite makes wait sleeps and tries again, and one that writes without a pause wins each time: beside the
import of a roster an alert waited for four seconds. So the threads of a process wait for a lock, and before a process
asks SQLite it takes the turn, which it gives back when it has what it asked for: who waits is the next to write.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, get_ident
from typing import TypeVar

B = TypeVar("B")

PAUSE_SECONDS = 0.002
# Writers that waited for the same one come one after the other: a short silence does not yet mean that none will.
QUIET_SECONDS = 0.01


class WritersTimeout(TimeoutError):
    """Others have been writing for too long."""


class WriterTurns:
    """The system takes the turn back from a process that dies."""

    def __init__(self, database_file: str, seconds: float) -> None:
        self._file = Path(f"{database_file}-turn")
        self._seconds = seconds
        self._lock = Lock()
        # Threads of this process, by their idents. Adding to a set needs no lock.
        self._waiting: set[int] = set()
        self._handle: int | None = None
        self._process = 0

    def is_free_within(self, seconds: float) -> bool:
        """False if threads of this process write all that time."""
        if not self._lock.acquire(timeout=seconds):
            return False
        self._lock.release()
        return True

    def begin(self, begin_transaction: Callable[[], B]) -> B:
        """Calls it when it is this thread's turn. No other thread of this process may write from then on, until this
        one calls `leave`, after its commit: who then begins meets no lock of SQLite's. Raises WritersTimeout, or what
        the call raises."""
        self._enter()
        try:
            with self.turn():
                return begin_transaction()
        except BaseException:
            self.leave()
            raise

    def leave(self) -> None:
        self._lock.release()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Raises WritersTimeout."""
        deadline = time.monotonic() + self._seconds
        while not self._took_turn():
            if time.monotonic() > deadline:
                raise WritersTimeout("another process waits to write, and does not go on")
            time.sleep(PAUSE_SECONDS)
        try:
            yield
        finally:
            self._give_back()

    def _enter(self) -> None:
        self._waiting.add(get_ident())
        try:
            if not self._lock.acquire(timeout=self._seconds):
                raise WritersTimeout("another transaction of this process holds the database")
        finally:
            self._waiting.discard(get_ident())

    def let_others_write(self, seconds: float) -> None:
        """Returns once nobody else waits to write, or after `seconds`. For work of many transactions, between two."""
        now = wanted_at = time.monotonic()
        until = now + seconds
        if not self._is_wanted():
            return
        while now < until and now - wanted_at < QUIET_SECONDS:
            time.sleep(PAUSE_SECONDS)
            now = time.monotonic()
            if self._is_wanted():
                wanted_at = now

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _is_wanted(self) -> bool:
        if self._waiting or self._lock.locked() or not self._took_turn():
            return True
        self._give_back()
        return False

    def _took_turn(self) -> bool:
        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _give_back(self) -> None:
        fcntl.flock(self._opened(), fcntl.LOCK_UN)

    def _opened(self) -> int:
        """Of this process: one that a fork copied has the turn together with its parent."""
        if self._handle is None or self._process != os.getpid():
            self._handle = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            self._process = os.getpid()
        return self._handle
