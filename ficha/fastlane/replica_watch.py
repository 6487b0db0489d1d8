"""The lane's replicas: connections to each, and a task that finds out how much of the primary each of them has.

A position of the primary's log that was read at some moment comes after every change acknowledged before that moment. A
replica that has replayed as far has them all. No clock is compared with another, and no process needs to know what the
others wrote (docs/decisions/0042-replicas.md).
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable
from typing import NamedTuple, TypeVar

from ficha.core.db import RESERVED_CONNECTIONS, Unavailable
from ficha.core.log import log
from ficha.core.replicas import NEVER, Replica, Replicas
from ficha.events.wakeup import end_task
from ficha.fastlane.postgres_store import PostgresStore
from ficha.fastlane.statements import ReplayedLog, log_position, replayed_log

T = TypeVar("T")

MOST_PERIOD_SECONDS = 0.5
# Whoever takes longer to say where it is counts as silent.
ANSWER_SECONDS = 2.0
# Half an hour of them: a replica that is further behind is not read.
POSITIONS = 3600


class LogPosition(NamedTuple):
    """How far the primary's log went; `at` is from before it was asked, by time.monotonic()."""

    at: float
    bytes: int


class ReplicaWatch:
    def __init__(self, replicas: Replicas, primary_url: str, max_lag: float) -> None:
        self._replicas = replicas
        self._period = min(MOST_PERIOD_SECONDS, max_lag / 4)
        # Its own connection: however busy the others are, it asks.
        self._primary = PostgresStore(primary_url, 1, ANSWER_SECONDS)
        self._stores = {
            replica: PostgresStore(replica.database.url, RESERVED_CONNECTIONS, ANSWER_SECONDS)
            for replica in replicas.all
        }
        self._positions: deque[LogPosition] = deque(maxlen=POSITIONS)
        self._is_silent = False
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        for store in (self._primary, *self._stores.values()):
            await store.open()
        self._task = asyncio.create_task(self._keep_watching())

    async def close(self) -> None:
        if self._task is not None:
            await end_task(self._task)
        for store in (self._primary, *self._stores.values()):
            await store.close()

    def fresh(self) -> tuple[Replica, PostgresStore] | None:
        replica = self._replicas.fresh()
        return None if replica is None else (replica, self._stores[replica])

    async def look(self) -> None:
        """One round: where the primary is, and how far each replica came."""
        await self._look_at_primary()
        await asyncio.gather(*(self._look_at(replica, store) for replica, store in self._stores.items()))

    async def _keep_watching(self) -> None:
        while True:
            try:
                await self.look()
            except Exception:  # Nothing may end this task: a replica would never be read again.
                log().exception("replicas.watch_failed")
            await asyncio.sleep(self._period)

    async def _look_at_primary(self) -> None:
        asked = time.monotonic()
        position = await _answered(log_position(self._primary))
        if position is not None:
            self._positions.append(LogPosition(asked, position))
        is_silent = position is None
        if is_silent != self._is_silent:
            log().warning("replicas.primary_silent" if is_silent else "replicas.primary_answers")
            self._is_silent = is_silent
        self._replicas.primary_is(silent=is_silent)

    async def _look_at(self, replica: Replica, store: PostgresStore) -> None:
        replayed = await _answered(replayed_log(store))
        replica.complete_at = NEVER if replayed is None else self._complete_at(replayed)

    def _complete_at(self, replayed: ReplayedLog) -> float:
        """One that became a primary is no replica any more: it may have gone its own way.

        While the primary is silent, the time of the newest transaction counts too: this process may have begun when
        there was no position to ask for. It is of two machines' clocks, which is too little for more.
        """
        is_replica, position, seconds = replayed
        if not is_replica or position is None:
            return NEVER
        by_position = next((one.at for one in reversed(self._positions) if one.bytes <= position), NEVER)
        if not self._is_silent or seconds is None:
            return by_position
        return max(by_position, time.monotonic() - max(0.0, seconds))


async def _answered(asked: Awaitable[T]) -> T | None:
    """None where there is no answer."""
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return await asked
    except (Unavailable, TimeoutError):
        return None
