"""What tells a process that there may be new events to read. SQLite cannot notify by itself: there, commits of this
process call the event loops that wait. On PostgreSQL one connection of the process LISTENs."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol

from ficha.core.engines import application_name
from ficha.core.log import log
from ficha.core.postgres_address import asyncpg_urls, connect_asyncpg
from ficha.core.transaction import Transaction

CHANNEL = "ficha_events"
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


CONNECT_SECONDS = 5.0
# A connection can be dead without an error. It is tested this often, and events are read even if all seems well.
TEST_SECONDS = 10.0
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0


class PostgresWakeup:
    def __init__(self, url: str, wake: Callable[[], None]) -> None:
        self._urls, self._name = asyncpg_urls(url), application_name(url, "events")
        self._wake = wake
        self._is_listening = False
        self._task: asyncio.Task[None] | None = None

    @property
    def poll_seconds(self) -> float:
        return TEST_SECONDS if self._is_listening else POLL_SECONDS

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._listen())

    async def stop(self) -> None:
        if self._task is not None:
            await end_task(self._task)

    async def _listen(self) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                connection = await connect_asyncpg(
                    self._urls, CONNECT_SECONDS, server_settings={"application_name": self._name}
                )
                try:
                    await connection.add_listener(CHANNEL, self._on_notification)
                    self._is_listening = True
                    pause = FIRST_PAUSE
                    self._wake()  # For what was committed while nobody listened.
                    await self._wait_until_lost(connection)
                finally:
                    self._is_listening = False
                    connection.terminate()
            except Exception as error:  # Whatever the driver raises: nobody would notice if listening ended.
                log().warning("events.not_listening", error=type(error).__name__)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _wait_until_lost(self, connection: Any) -> None:
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _connection: lost.set())
        while not connection.is_closed():
            try:
                await asyncio.wait_for(lost.wait(), TEST_SECONDS)
            except TimeoutError:
                await connection.execute("SELECT 1", timeout=CONNECT_SECONDS)
        log().warning("events.not_listening", error="ConnectionLost")

    def _on_notification(self, *_arguments: object) -> None:
        self._wake()
