"""The wakeup on SQLite, which cannot notify by itself: commits of this process call the event loops that wait."""

import asyncio
from collections.abc import Callable

from ficha.core.transaction import Transaction
from ficha.events.wakeup import POLL_SECONDS

# Called in the thread that committed.
_listeners: set[Callable[[], None]] = set()


def wake_after_commit(tx: Transaction) -> None:
    tx.after_commit(_wake_listeners)


def _wake_listeners() -> None:
    for wake in tuple(_listeners):
        wake()


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
