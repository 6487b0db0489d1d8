"""One hub for each process: it reads new events once, and gives them to all subscribers that they are for."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, KeysView
from concurrent.futures import Future, ThreadPoolExecutor, wait
from enum import Enum
from typing import Any, Concatenate, ParamSpec, TypeVar

from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.events.events import STAFF, START, Audience, EventPosition, StreamedEvent
from ficha.events.statements import newest, read_after, read_between
from ficha.events.wakeup import PostgresWakeup, SqliteWakeup, Wakeup, end_task

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


P = ParamSpec("P")
T = TypeVar("T")

# Smaller than a subscriber's queue: one page never fills the queue of a subscriber that keeps up.
PAGE = 100
# How soon to read again while a running transaction holds events back: nothing tells us when it ends.
BLOCKED_SECONDS = 0.1
ERROR_SECONDS = 1.0
# Threads for reads of new subscribers, of whom many come at once after a restart. Following new events has its own.
READ_THREADS = 2
# How long a stop waits for reads that are running, so that their connections are back before the database is closed.
STOP_SECONDS = 2.0


class TooManyStreams(FichaError):
    status = 429
    code = "demasiadas_transmisiones"
    message = "Esta cuenta ya tiene demasiadas transmisiones de eventos abiertas. Cierre alguna y vuelva a probar."
    headers = {"Retry-After": "10"}  # noqa: RUF012


class StreamsFull(FichaError):
    """This process has as many streams as it may have, or is stopping."""

    status = 503
    code = "sin_lugar"
    message = "No se pueden abrir más transmisiones de eventos por ahora. Vuelva a probar en un momento."
    headers = {"Retry-After": "5"}  # noqa: RUF012


def choose_wakeup(database: Database, wake: Callable[[], None]) -> Wakeup:
    return SqliteWakeup(wake) if database.is_sqlite else PostgresWakeup(database.url, wake)


class Hub:
    """Reads nothing while it has no subscribers. Lives on the event loop of the first one."""

    def __init__(
        self,
        database: Database,
        *,
        per_audience: int = 10,
        most: int = 1000,
        make_wakeup: Callable[[Database, Callable[[], None]], Wakeup] = choose_wakeup,
    ) -> None:
        self._database = database
        self._per_audience = per_audience
        self._most = most
        self._make_wakeup = make_wakeup
        self._position = START
        # The oldest first.
        self._subscribers: dict[Subscriber, None] = {}
        self._by_audience: defaultdict[Audience, set[Subscriber]] = defaultdict(set)
        self._may_have_news = asyncio.Event()
        self._has_subscribers = asyncio.Event()
        # Their threads start when first needed.
        self._follow_thread = ThreadPoolExecutor(1, thread_name_prefix="events-follower")
        self._read_threads = ThreadPoolExecutor(READ_THREADS, thread_name_prefix="events-helper")
        self._running_reads: set[Future[Any]] = set()
        self._wakeup: Wakeup | None = None
        self._task: asyncio.Task[None] | None = None
        self.is_stopping = False

    @property
    def subscribers(self) -> KeysView[Subscriber]:
        """The oldest first."""
        return self._subscribers.keys()

    async def join(self, subscriber: Subscriber, since: EventPosition | None) -> None:
        """Adds a subscriber from now on, or from `since`: then it has to read `missed` first.

        Raises StreamsFull or TooManyStreams."""
        if self.is_stopping:
            raise StreamsFull
        self._start()
        # A hub with subscribers goes on from its own position, so of whoever has one too nothing else is asked.
        now = await self.read(newest) if since is None or not self._subscribers else since
        if self.is_stopping or len(self._subscribers) >= self._most:
            raise StreamsFull
        if subscriber.is_counted and self._count_of(subscriber.audience) >= self._per_audience:
            raise TooManyStreams
        if not self._subscribers:
            self._position = max(self._position, now)
        subscriber.start_from(now if since is None else since, self._position)
        self._subscribers[subscriber] = None
        for audience in _audiences_of(subscriber):
            self._by_audience[audience].add(subscriber)
        self._has_subscribers.set()

    def leave(self, subscriber: Subscriber) -> None:
        self._subscribers.pop(subscriber, None)
        for audience in _audiences_of(subscriber):
            same = self._by_audience.get(audience)
            if same is not None:
                same.discard(subscriber)
                if not same:
                    del self._by_audience[audience]
        if not self._subscribers:
            self._has_subscribers.clear()

    async def missed(self, subscriber: Subscriber, page: int = PAGE) -> AsyncIterator[list[StreamedEvent]]:
        """The events between the subscriber's position and what the hub gives it, page by page."""
        while (between := subscriber.missed) is not None:
            found = await self.read(
                read_between, *between, subscriber.audience, is_staff=subscriber.is_staff, limit=page
            )
            if len(found) < page:
                subscriber.read_all_missed()
            else:
                subscriber.read_up_to(found[-1].position)
            if found:
                yield found

    async def read(self, query: Callable[Concatenate[Transaction, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs the query in a thread of the hub, with a connection that is given back at once."""
        return await self._run(self._read_threads, lambda tx: query(tx, *args, **kwargs))

    async def _run(self, threads: ThreadPoolExecutor, query: Callable[[Transaction], T]) -> T:
        def run() -> T:
            with self._database.reading() as tx:
                return query(tx)

        future = threads.submit(run)
        self._running_reads.add(future)
        future.add_done_callback(self._running_reads.discard)
        return await asyncio.wrap_future(future)

    def end_all(self) -> None:
        """Ends every subscriber. Nobody can join after this."""
        self.is_stopping = True
        for subscriber in self.subscribers:
            subscriber.end(Ending.STOPPING)

    async def stop(self) -> None:
        self.end_all()
        if self._wakeup is not None:
            await self._wakeup.stop()
        if self._task is not None:
            await end_task(self._task)
        for threads in (self._follow_thread, self._read_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(wait, tuple(self._running_reads), STOP_SECONDS)

    def _count_of(self, audience: Audience) -> int:
        return sum(other.audience == audience for other in self._subscribers)

    def _start(self) -> None:
        if self._task is None:
            self._wakeup = self._make_wakeup(self._database, self._may_have_news.set)
            self._wakeup.start()
            self._task = asyncio.get_running_loop().create_task(self._follow(self._wakeup))

    async def _follow(self, wakeup: Wakeup) -> None:
        while True:
            await self._has_subscribers.wait()
            self._may_have_news.clear()
            try:
                page = await self._run(self._follow_thread, lambda tx: read_after(tx, self._position, PAGE))
            except Exception as error:  # Whatever the database raises: the events are read later.
                log().warning("events.not_read", error=type(error).__name__)
                await asyncio.sleep(ERROR_SECONDS)
                continue
            self._deliver(page.events)
            if not page.is_full:
                await self._wait_for_news(BLOCKED_SECONDS if page.is_blocked else wakeup.poll_seconds)

    def _deliver(self, events: Iterable[StreamedEvent]) -> None:
        for event in events:
            for subscriber in tuple(self._by_audience.get(event.audience, ())):
                subscriber.put(event)
            # Forward only: somebody who joined an empty hub meanwhile may have moved it on.
            self._position = max(self._position, event.position)

    async def _wait_for_news(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._may_have_news.wait()


def _audiences_of(subscriber: Subscriber) -> tuple[Audience, ...]:
    return (subscriber.audience, STAFF) if subscriber.is_staff else (subscriber.audience,)
