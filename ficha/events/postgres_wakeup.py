"""The wakeup on PostgreSQL: one connection of the process that LISTENs, opened again when it is lost."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import make_url

from ficha.core.log import log
from ficha.events.events import CHANNEL
from ficha.events.wakeup import POLL_SECONDS, end_task

CONNECT_SECONDS = 5.0
# A connection can be dead without an error. It is tested this often, and events are read even if all seems well.
TEST_SECONDS = 10.0
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 10.0


class PostgresWakeup:
    def __init__(self, url: str, wake: Callable[[], None]) -> None:
        # asyncpg takes an option that it does not know for a setting of the server.
        plain = make_url(url).set(drivername="postgresql").difference_update_query(["connect_timeout"])
        self._url = plain.render_as_string(hide_password=False)
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
                connection = await asyncpg.connect(self._url, timeout=CONNECT_SECONDS)
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
