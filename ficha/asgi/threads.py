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
from typing import Any, NamedTuple, TypeVar

from ficha.core.db import RESERVED_CONNECTIONS, use_reserved_connections
from ficha.core.errors import FichaError
from ficha.core.process import use_all_cores

T = TypeVar("T")


class Pool(StrEnum):
    """What a thread is for."""

    REQUESTS = "requests"
    # On SQLite a statement waits for nobody but another writer, and more threads than a few only contend for Python's
    # lock. Reads do not wait behind writes.
    SQLITE_READS = "reads"
    SQLITE_WRITES = "writes"
    # The stranger's page, alerts and what answers them. No other operation can take these threads, nor the database
    # connections that they have to themselves.
    URGENT = "urgent"
    # Bodies that take long to parse and check, whatever they are for: see LARGE_BODY.
    LARGE = "large"
    # Exports of whole records, sheets and cards: seconds of a core, and in no hurry.
    LONG = "long"
    # They wait for Argon2id, which takes 35 ms of a core and runs in two threads of its own.
    CLAVES = "claves"
    # They wait for a platform, or for the process that reads pictures: none of our own queries may wait behind them.
    # However large, the bodies of pictures are not parsed here.
    OUTSIDE = "outside"


MOST_THREADS = {
    Pool.REQUESTS: 40,
    Pool.SQLITE_READS: 8,
    Pool.SQLITE_WRITES: 4,
    Pool.URGENT: RESERVED_CONNECTIONS - 2,
    Pool.LARGE: 1,
    Pool.LONG: 2,
    Pool.CLAVES: 8,
    Pool.OUTSIDE: 20,
}
# How many more may wait for a thread; of the pools that are not named here, any number. A check of a clave takes a
# sixtieth of a second of both hashing threads: whoever comes after these would have left before it is her turn.
MOST_WAITING = {Pool.LARGE: 8, Pool.LONG: 8, Pool.CLAVES: 56}
# What runs first in each thread. Sheets are drawn outside of Python's lock, and must leave the core of the pages alone.
PREPARE = {Pool.URGENT: use_reserved_connections, Pool.LONG: use_all_cores}
# Whose requests go to no other pool, however large they are.
TAKES_LARGE = frozenset({Pool.OUTSIDE})
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


Inbox = SimpleQueue[Call]


class Threads:
    """At most `most` threads, started when needed and kept; no end of the process waits for them. The one that was busy
    last is taken first: it is warm, and so are its connection and memory. The standard library's pool takes the one
    that has been idle longest, which cost a short request a quarter more CPU.

    `most_waiting`: how many calls may wait for a thread. `prepare` runs first in each thread."""

    def __init__(
        self, name: str, most: int, most_waiting: int | None = None, prepare: Callable[[], None] | None = None
    ) -> None:
        self._name, self._most, self._most_waiting, self._prepare = name, most, most_waiting, prepare
        self._lock = Lock()
        self._started = 0
        self._idle: list[Inbox] = []
        self._waiting: deque[Call] = deque()

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
        with self._lock:
            if self._idle:
                self._idle.pop().put(call)
            elif self._started < self._most:
                self._started += 1
                name = f"{self._name}-{self._started}"
                Thread(target=self._work, args=(call,), name=name, daemon=True).start()
            elif self.is_full:
                raise ServerBusy
            else:
                self._waiting.append(call)
        return await future

    def _work(self, call: Call) -> None:
        inbox: Inbox = SimpleQueue()
        if self._prepare is not None:
            self._prepare()
        while True:
            outcome = call.run()
            # It is idle before whoever waits for its answer is told: the request that follows finds this thread.
            with self._lock:
                following = self._waiting.popleft() if self._waiting else None
                if following is None:
                    self._idle.append(inbox)
            call.settle(outcome)
            del call, outcome  # What they hold is free while the thread waits.
            call = following if following is not None else inbox.get()
            del following


@cache
def threads(pool: Pool) -> Threads:
    """Of this process: they belong to no event loop."""
    return Threads(pool, MOST_THREADS[pool], MOST_WAITING.get(pool), PREPARE.get(pool))


def _settle(future: asyncio.Future[Any], outcome: CallOutcome) -> None:
    if future.done():  # Whoever waited was cancelled.
        return
    if outcome.error is None:
        future.set_result(outcome.result)
    else:
        future.set_exception(outcome.error)
