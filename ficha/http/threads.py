"""The threads in which requests run: each request in one call of one thread, from its first check to its commit.

A request that waits for a thread holds nothing, and one that has a thread needs no other, so requests cannot block each
other. What may take long has threads of its own: an operation says so where it is declared. So has what must never wait
for the others: a stranger's page and an alert.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from enum import StrEnum
from functools import cache
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from ficha.core.cores import use_all_cores
from ficha.core.db import RESERVED_CONNECTIONS, use_reserved_connections
from ficha.core.errors import FichaError
from ficha.http.loop_pulse import LoopPulse

T = TypeVar("T")


class Pool(StrEnum):
    """What a thread is for."""

    REQUESTS = "requests"
    # On SQLite, where a statement waits for nobody but another writer, and for that all would wait: with more threads
    # each comes with a connection that is cold when its turn comes. Reads do not wait behind writes.
    SQLITE_READS = "reads"
    SQLITE_WRITES = "writes"
    # The stranger's page, alerts and what answers them. No other operation can take these threads, nor the database
    # connections that they have to themselves.
    URGENT = "urgent"
    # Bodies that take long to parse and check, whatever they are for: see LARGE_BODY.
    LARGE = "large"
    # Exports of whole records: much to decrypt, and in no hurry.
    EXPORTS = "exports"
    # They wait for Argon2id, which takes 35 ms of a core and runs in two threads of its own.
    CLAVES = "claves"
    # A platform may take long to answer: it must not keep a quick query of our own waiting.
    PLATFORM = "platform"
    # Pictures: they wait for the process that reads them. However large, their bodies are not parsed here.
    PICTURES = "pictures"
    # Sheets and cards: seconds of a core, one after another.
    PRINTING = "printing"
    # For the event loop's own short questions.
    SIDE = "side"


MOST_THREADS = {
    Pool.REQUESTS: 40,
    Pool.SQLITE_READS: 40,
    Pool.SQLITE_WRITES: 20,
    Pool.URGENT: RESERVED_CONNECTIONS - 2,
    Pool.LARGE: 1,
    Pool.EXPORTS: 2,
    Pool.CLAVES: 8,
    Pool.PLATFORM: 20,
    Pool.PICTURES: 10,
    Pool.PRINTING: 1,
    Pool.SIDE: 4,
}
# How many more may wait for a thread; of the pools that are not named here, any number. A check of a clave takes a
# sixtieth of a second of both hashing threads: whoever comes after these would have left before it is her turn.
MOST_WAITING = {Pool.LARGE: 8, Pool.CLAVES: 56, Pool.PICTURES: 10, Pool.PRINTING: 8}
# How many of a pool are let in together, where it is fewer: measured with 1, 2, 4, 8 and 40 (docs/benchmarks.md).
AT_ONCE = {Pool.REQUESTS: 2, Pool.SQLITE_READS: 1, Pool.SQLITE_WRITES: 1}
# What runs first in each thread. Sheets are drawn outside of Python's lock, and must leave the core of the pages alone.
PREPARE = {Pool.URGENT: use_reserved_connections, Pool.PRINTING: use_all_cores}
# Whose calls are long and in no hurry: they begin when the event loop is in time.
GIVE_WAY = frozenset({Pool.LARGE, Pool.EXPORTS, Pool.PRINTING})
# Whose requests go to no other pool, however large they are.
TAKES_LARGE = frozenset({Pool.PICTURES})
# After how long one that was let in is taken to wait for something else than a processor. A change on SQLite waits for
# the disk, and for what others would wait for too.
SLOW_SECONDS, SLOW_WRITE_SECONDS = 0.005, 0.05
# A request with a larger body runs in Pool.LARGE, in bytes.
LARGE_BODY = 100_000


class ServerBusy(FichaError):
    status = 503
    code = "servicio_ocupado"
    message = "Hay demasiadas peticiones como esta a la vez. Vuelva a probar en unos segundos."
    # A body may be left unread, and then the connection cannot serve another request.
    headers = {"Retry-After": "3", "Connection": "close"}  # noqa: RUF012


class Call(NamedTuple):
    """A function to run, and the future on an event loop that waits for its result."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    context: Context
    function: Callable[..., Any]
    args: tuple[Any, ...]

    def run(self) -> "CallOutcome":
        try:
            return CallOutcome(self.context.run(self.function, *self.args), None)
        except BaseException as error:
            return CallOutcome(None, error)

    def settle(self, outcome: "CallOutcome") -> None:
        with suppress(RuntimeError):  # The loop was closed: nobody waits any more.
            self.loop.call_soon_threadsafe(_settle, self.future, outcome)


class CallOutcome(NamedTuple):
    result: Any
    error: BaseException | None


class Worker:
    """A thread of a pool: where it gets its next call, and since when it has been at this one."""

    def __init__(self) -> None:
        self.inbox: SimpleQueue[Call] = SimpleQueue()
        self.since = 0.0
        self.is_slow = False


class Threads:
    """At most `most` threads, started when needed and kept. The one that was busy last is taken first: it is warm, and
    so are its connection and memory. `most_waiting`: how many calls may wait for a thread. `prepare` runs first in each
    thread. `gives_way`: before each call it waits for an event loop that is late.

    At most `at_once` of them are let in together: more would only contend for Python's lock, which costs as much again
    as the work itself. One that has been at its call for `slow_seconds` waits for something else (a row, the disk) and
    no longer counts, so that nobody waits behind it.
    """

    def __init__(
        self,
        name: str,
        most: int,
        most_waiting: int | None = None,
        prepare: Callable[[], None] | None = None,
        at_once: int | None = None,
        *,
        slow_seconds: float = SLOW_SECONDS,
        gives_way: bool = False,
    ) -> None:
        self._name, self._most, self._most_waiting, self._prepare = name, most, most_waiting, prepare
        self._at_once, self._slow_seconds = at_once or most, slow_seconds
        self._lock = Lock()
        self._started = 0
        self._quick = 0
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._waiting: deque[Call] = deque()
        self._watching: asyncio.AbstractEventLoop | None = None
        self._pulse = LoopPulse(lambda: bool(self._busy or self._waiting)) if gives_way else None

    @property
    def is_full(self) -> bool:
        """Whether nobody more may wait."""
        return self._most_waiting is not None and len(self._waiting) >= self._most_waiting

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Runs the function in a thread, with the caller's context variables. It runs to its end even if the caller is
        cancelled meanwhile. Raises ServerBusy if too many wait already."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        call = Call(loop, future, copy_context(), function, args)
        if self._pulse is not None:
            self._pulse.begin(loop)
        with self._lock:
            if self._waiting or not self._begin(call):
                if self.is_full:
                    raise ServerBusy
                self._waiting.append(call)
                self._watch(loop)
        return await future

    def _begin(self, call: Call) -> bool:
        """Whether the call could be given to a thread."""
        if self._quick >= self._at_once:
            return False
        if self._idle:
            worker = self._idle.pop()
            self._mark_begun(worker)
            worker.inbox.put(call)
        elif self._started < self._most:
            self._started += 1
            worker = Worker()
            self._mark_begun(worker)
            name = f"{self._name}-{self._started}"
            Thread(target=self._work, args=(worker, call), name=name, daemon=True).start()
        else:
            return False
        return True

    def _mark_begun(self, worker: Worker) -> None:
        worker.since, worker.is_slow = monotonic(), False
        self._busy.add(worker)
        self._quick += 1

    def _work(self, worker: Worker, call: Call) -> None:
        if self._prepare is not None:
            self._prepare()
        while True:
            if self._pulse is not None:
                self._pulse.wait()
            outcome = call.run()
            with self._lock:
                following = self._next_call(worker)
            call.settle(outcome)
            del call, outcome  # What they hold is free while the thread waits.
            call = following if following is not None else worker.inbox.get()
            del following

    def _next_call(self, worker: Worker) -> Call | None:
        """The call that this thread goes on with. None when it is idle, which is before whoever waits for its answer is
        told: the request that follows finds this thread, which is warm."""
        self._busy.remove(worker)
        if not worker.is_slow:
            self._quick -= 1
        if self._waiting and self._quick < self._at_once:
            self._mark_begun(worker)
            return self._waiting.popleft()
        self._idle.append(worker)
        return None

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Looks after those that wait, as long as any do."""
        if self._watching is None or self._watching.is_closed():
            self._watching = loop
            loop.call_later(self._slow_seconds, self._let_in_more)

    def _let_in_more(self) -> None:
        with self._lock:
            loop, self._watching = self._watching, None
            before = monotonic() - self._slow_seconds
            for worker in self._busy:
                if worker.since <= before and not worker.is_slow:
                    worker.is_slow = True
                    self._quick -= 1
            while self._waiting and self._begin(self._waiting[0]):
                self._waiting.popleft()
            if self._waiting and loop is not None:
                self._watch(loop)


@cache
def threads(pool: Pool) -> Threads:
    """Of this process: they belong to no event loop."""
    return Threads(
        pool,
        MOST_THREADS[pool],
        MOST_WAITING.get(pool),
        PREPARE.get(pool),
        AT_ONCE.get(pool),
        slow_seconds=SLOW_WRITE_SECONDS if pool is Pool.SQLITE_WRITES else SLOW_SECONDS,
        gives_way=pool in GIVE_WAY,
    )


def _settle(future: asyncio.Future[Any], outcome: CallOutcome) -> None:
    if future.done():  # Whoever waited was cancelled.
        return
    if outcome.error is None:
        future.set_result(outcome.result)
    else:
        future.set_exception(outcome.error)
