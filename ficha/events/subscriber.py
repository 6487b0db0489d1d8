"""Somebody who waits for events: a bounded queue that the hub fills and a stream empties."""

import asyncio
import contextlib
from enum import Enum

from ficha.events.events import START, Position
from ficha.events.ordered_reads import Told

# How many events may wait for a reader before it counts as too slow.
QUEUE = 500


class Ending(Enum):
    """Why a reader gets no more."""

    TOO_SLOW = "too_slow"
    SESSION = "session"
    STOPPING = "stopping"


class Subscriber:
    """`position` is the last place told; nothing up to there is told again."""

    def __init__(self, account_id: int, *, is_staff: bool, size: int = QUEUE) -> None:
        self.account_id = account_id
        self.is_staff = is_staff
        self.position = START
        self.ending: Ending | None = None
        self.ended = asyncio.Event()
        self._until = START
        self._size = size
        self._waiting: list[Told] = []
        self._news = asyncio.Event()

    def put(self, told: Told) -> None:
        if self.ending is not None:
            return
        if len(self._waiting) >= self._size:
            self.end(Ending.TOO_SLOW)
            return
        self._waiting.append(told)
        self._news.set()

    def end(self, why: Ending) -> None:
        if self.ending is None:
            self.ending = why
            self._waiting.clear()
            self._news.set()
            self.ended.set()

    def begin(self, position: Position, until: Position) -> None:
        """The hub hands out everything after `until`; what lies between comes from the database."""
        self.position, self._until = position, until

    @property
    def missed(self) -> tuple[Position, Position] | None:
        return (self.position, self._until) if self.position < self._until else None

    def caught_up(self) -> None:
        self.position = max(self.position, self._until)

    def move(self, position: Position) -> None:
        self.position = position

    async def next(self, seconds: float) -> list[Told]:
        """What came, in order, each once. Nothing when nothing came in time, or when it is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()
        self._news.clear()
        waiting, self._waiting = self._waiting, []
        fresh = []
        for told in waiting:
            if told.position > self.position:
                fresh.append(told)
                self.position = told.position
        return fresh
