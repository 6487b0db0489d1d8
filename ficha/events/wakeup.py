"""What tells a process that there may be new events to read. SQLite cannot notify by itself: there, commits of this
process call the event loops that wait. PostgreSQL's is in postgres_wakeup.py."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from ficha.core.transaction import Transaction

# How often a process reads without being told: on SQLite other processes cannot tell it, on PostgreSQL while the
# listening connection is down.
POLL_SECONDS = 0.5
RETRY_SECONDS = 0.2
# Called in the thread that committed.
_listeners: set[Callable[[], None]] = set()


class Wakeup(Protocol):
    """Calls a function on the event loop whenever events may have been committed. Calling too often does no harm."""

    @property
    def poll_seconds(self) -> float:
        """How long to wait for the call before reading anyway."""

    def start(self) -> None: ...
    async def stop(self) -> None: ...


class SqliteWakeup:
    def __init__(self, wake: Callable[[], None], *, poll_seconds: float = POLL_SECONDS) -> None:
        self.poll_seconds = poll_seconds
        self._wake = wake
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        _listeners.add(self._wake_loop)

    async def stop(self) -> None:
        _listeners.discard(self._wake_loop)

    def _wake_loop(self) -> None:
        # The loop may have ended in this very moment.
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)


def wake_after_commit(tx: Transaction) -> None:
    tx.after_commit(_wake_listeners)


def _wake_listeners() -> None:
    for wake in tuple(_listeners):
        wake()


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Cancels the task again and again until it ends: `wait_for` of Python 3.11 loses a cancellation that comes at the
    moment in which it has its result, and the drivers use it. Waiting for such a task would never end."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=RETRY_SECONDS)
