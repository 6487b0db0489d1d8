"""How a process hears that there is something new to read."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from ficha.core.db import Database
from ficha.events import sqlite_wakeup

# What other processes write to SQLite is found by looking.
LOOK_SECONDS = 0.5


class Wakeup(Protocol):
    """Calls `wake`, on the loop, whenever something may have been committed: too often does no harm."""

    @property
    def look_seconds(self) -> float:
        """How long to rely on it before looking anyway."""

    def start(self) -> None: ...
    async def stop(self) -> None: ...


def wakeup_for(database: Database, wake: Callable[[], None]) -> Wakeup:
    if database.is_sqlite:
        return BellWakeup(wake)
    from ficha.events.postgres_wakeup import ListenWakeup  # noqa: PLC0415 - its driver stays out of SQLite's memory.

    return ListenWakeup(database.url, wake)


class BellWakeup:
    look_seconds = LOOK_SECONDS

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        sqlite_wakeup.listen(self._ring)

    async def stop(self) -> None:
        sqlite_wakeup.unlisten(self._ring)

    def _ring(self) -> None:
        # From the thread that committed; the loop may have ended in this very moment.
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)
