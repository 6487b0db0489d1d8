"""Somebody who waits for events: a bounded queue that the hub fills and a stream empties."""

import asyncio
import contextlib
from enum import Enum

from ficha.events.events import START, Audience, EventPosition
from ficha.events.ordered_reads import StreamedEvent

# How many events may wait for a subscriber before it counts as too slow.
QUEUE_SIZE = 500


class Ending(Enum):
    """Why a subscriber gets no more events."""

    TOO_SLOW = "too_slow"
    SESSION = "session"
    STOPPING = "stopping"
    # A newer one of the same reader took its place.
    REPLACED = "replaced"


class Subscriber:
    """`position` is that of the last event it was given; it gets nothing up to there again."""

    # Whether the hub counts those of one audience together.
    is_counted = True

    def __init__(self, audience: Audience, *, is_staff: bool, size: int = QUEUE_SIZE) -> None:
        self.audience = audience
        self.is_staff = is_staff
        self.position = START
        self.ending: Ending | None = None
        self.ended = asyncio.Event()
        self._missed_until = START
        self._size = size
        self._queue: list[StreamedEvent] = []
        self._changed = asyncio.Event()

    def put(self, event: StreamedEvent) -> None:
        """Queues the event; ends the subscriber as too slow if its queue is full."""
        if self.ending is not None:
            return
        if len(self._queue) >= self._size:
            self.end(Ending.TOO_SLOW)
            return
        self._queue.append(event)
        self._changed.set()

    def end(self, why: Ending) -> None:
        if self.ending is None:
            self.ending = why
            self._queue.clear()
            self._changed.set()
            self.ended.set()

    def start_from(self, position: EventPosition, missed_until: EventPosition) -> None:
        """The hub gives it everything after `missed_until`; what lies between is read from the database."""
        self.position, self._missed_until = position, missed_until

    @property
    def missed(self) -> tuple[EventPosition, EventPosition] | None:
        """Between which positions it still has to read from the database; none when it has read all."""
        return (self.position, self._missed_until) if self.position < self._missed_until else None

    def read_up_to(self, position: EventPosition) -> None:
        self.position = position

    def read_all_missed(self) -> None:
        self.position = max(self.position, self._missed_until)

    async def next(self, seconds: float) -> list[StreamedEvent]:
        """The events that came, in order, each once. Empty when none came within `seconds`, or after the end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        self._changed.clear()
        queue, self._queue = self._queue, []
        fresh = []
        for event in queue:
            if event.position > self.position:
                fresh.append(event)
                self.position = event.position
        return fresh
