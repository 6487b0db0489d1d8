"""One hub for each process: it reads what is new once, and hands it to everybody who waits for it."""

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy.orm import Session

from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.events.events import START, Position
from ficha.events.ordered_reads import Told, newest, read_after, read_between
from ficha.events.subscriber import Ending, Subscriber
from ficha.events.tasks import end_task
from ficha.events.wakeup import Wakeup, wakeup_for

P = ParamSpec("P")
T = TypeVar("T")

# Smaller than a reader's queue: whoever keeps up never has it full from one page.
PAGE = 100
# A transaction that holds others back ends soon, and nobody says so when it published nothing.
SOON_SECONDS = 0.1
TROUBLE_SECONDS = 1.0
# Those who come, many at once after a restart, share these threads; whoever is there already has another.
HELPERS = 2


class TooManyStreams(FichaError):
    status = 429
    code = "demasiadas_transmisiones"
    message = "Esta cuenta ya tiene demasiadas transmisiones de eventos abiertas. Cierre alguna y vuelva a probar."
    headers = {"Retry-After": "10"}  # noqa: RUF012


class NoRoom(FichaError):
    status = 503
    code = "sin_lugar"
    message = "No se pueden abrir más transmisiones de eventos por ahora. Vuelva a probar en un momento."
    headers = {"Retry-After": "5"}  # noqa: RUF012


class Hub:
    """Reads nothing while nobody waits. Lives on the event loop of its first reader."""

    def __init__(self, database: Database, *, per_account: int = 10, most: int = 1000) -> None:
        self._database = database
        self._per_account = per_account
        self._most = most
        self._position = START
        self._everybody: set[Subscriber] = set()
        self._by_account: defaultdict[int | None, set[Subscriber]] = defaultdict(set)
        self._news = asyncio.Event()
        self._somebody = asyncio.Event()
        # They begin when first needed.
        self._follower = ThreadPoolExecutor(1, thread_name_prefix="events-follower")
        self._helpers = ThreadPoolExecutor(HELPERS, thread_name_prefix="events-helper")
        self._wakeup: Wakeup | None = None
        self._task: asyncio.Task[None] | None = None
        self.is_stopping = False

    @property
    def readers(self) -> frozenset[Subscriber]:
        return frozenset(self._everybody)

    async def join(self, reader: Subscriber, since: Position | None) -> None:
        """From now on, or from `since`: then `missed` comes first."""
        if self.is_stopping:
            raise NoRoom
        self._start()
        now = await self.read(newest)
        if self.is_stopping or len(self._everybody) >= self._most:
            raise NoRoom
        if sum(other.account_id == reader.account_id for other in self._everybody) >= self._per_account:
            raise TooManyStreams
        if not self._everybody:
            self._position = max(self._position, now)
        reader.begin(now if since is None else since, self._position)
        self._everybody.add(reader)
        for whose in self._doors(reader):
            self._by_account[whose].add(reader)
        self._somebody.set()

    def leave(self, reader: Subscriber) -> None:
        self._everybody.discard(reader)
        for whose in self._doors(reader):
            readers = self._by_account.get(whose)
            if readers is not None:
                readers.discard(reader)
                if not readers:
                    del self._by_account[whose]
        if not self._everybody:
            self._somebody.clear()

    async def missed(self, reader: Subscriber, page: int = PAGE) -> AsyncIterator[list[Told]]:
        """What lies between the reader's place and what the hub hands out, page by page."""
        while (between := reader.missed) is not None:
            found = await self.read(read_between, *between, reader.account_id, is_staff=reader.is_staff, limit=page)
            if len(found) < page:
                reader.caught_up()
            else:
                reader.move(found[-1].position)
            if found:
                yield found

    async def read(self, query: Callable[Concatenate[Session, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """In a thread of ours, with a connection that goes back at once."""
        return await self._run(self._helpers, lambda session: query(session, *args, **kwargs))

    async def _run(self, threads: ThreadPoolExecutor, query: Callable[[Session], T]) -> T:
        def run() -> T:
            with self._database.reading() as session:
                return query(session)

        return await asyncio.get_running_loop().run_in_executor(threads, run)

    def end_all(self) -> None:
        """Nobody joins after this."""
        self.is_stopping = True
        for reader in self.readers:
            reader.end(Ending.STOPPING)

    async def stop(self) -> None:
        self.end_all()
        if self._wakeup is not None:
            await self._wakeup.stop()
        if self._task is not None:
            await end_task(self._task)
        for threads in (self._follower, self._helpers):
            threads.shutdown(wait=False)

    def _start(self) -> None:
        if self._task is None:
            self._wakeup = wakeup_for(self._database, self._news.set)
            self._wakeup.start()
            self._task = asyncio.get_running_loop().create_task(self._follow(self._wakeup))

    async def _follow(self, wakeup: Wakeup) -> None:
        while True:
            await self._somebody.wait()
            self._news.clear()
            try:
                page = await self._run(self._follower, lambda session: read_after(session, self._position, PAGE))
            except Exception as error:  # Whatever the database raises; what it did not tell is told later.
                log().warning("events.not_read", error=type(error).__name__)
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            self._hand_out(page.told)
            if not page.is_full:
                await self._rest(SOON_SECONDS if page.is_waiting else wakeup.look_seconds)

    def _hand_out(self, events: Iterable[Told]) -> None:
        for told in events:
            for reader in tuple(self._by_account.get(told.account_id, ())):
                reader.put(told)
            # Forward only: whoever came meanwhile, to an empty hub, may have moved it on.
            self._position = max(self._position, told.position)

    async def _rest(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    @staticmethod
    def _doors(reader: Subscriber) -> tuple[int | None, ...]:
        return (reader.account_id, None) if reader.is_staff else (reader.account_id,)
