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

T = TypeVar("T")


class Pool(StrEnum):
    """What a thread is for."""

    REQUESTS = "requests"
    # The stranger's page, alerts and what answers them. No other operation can take these threads, nor the database
    # connections that they have to themselves.
    URGENT = "urgent"
    # Bodies that take long to parse and check, whatever they are for: see LARGE_BODY.
    LARGE = "large"
    # They wait for Argon2id, which takes 35 ms of a core and runs in two threads of its own.
    CLAVES = "claves"
    # A platform may take long to answer: it must not keep a quick query of our own waiting.
    PLATFORM = "platform"
    # For the event loop's own short questions.
    SIDE = "side"


MOST_THREADS = {
    Pool.REQUESTS: 40,
    Pool.URGENT: RESERVED_CONNECTIONS - 2,
    Pool.LARGE: 2,
    Pool.CLAVES: 8,
    Pool.PLATFORM: 20,
    Pool.SIDE: 4,
}
# How many more may wait for a thread; of the pools that are not named here, any number. A check of a clave takes a
# sixtieth of a second of both hashing threads: whoever comes after these would have left before it is her turn.
MOST_WAITING = {Pool.LARGE: 64, Pool.CLAVES: 56}
# A request with a larger body runs in Pool.LARGE, in bytes.
LARGE_BODY = 100_000


class ServerBusy(FichaError):
    status = 503
    code = "servicio_ocupado"
    message = "Hay demasiadas peticiones como esta a la vez. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "3"}  # noqa: RUF012


class Call(NamedTuple):
    """A function to run, and the future on an event loop that waits for its result."""

    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    context: Context
    function: Callable[..., Any]
    args: tuple[Any, ...]

    def run(self) -> "Outcome":
        try:
            return Outcome(self.context.run(self.function, *self.args), None)
        except BaseException as error:
            return Outcome(None, error)

    def settle(self, outcome: "Outcome") -> None:
        with suppress(RuntimeError):  # The loop was closed: nobody waits any more.
            self.loop.call_soon_threadsafe(_settle, self.future, outcome)


class Outcome(NamedTuple):
    result: Any
    error: BaseException | None


class Threads:
    """At most `most` threads, started when needed and kept. The one that was busy last is taken first: it is warm, and
    so are its connection and memory. `most_waiting`: how many calls may wait for a thread. `prepare` runs first in each
    thread."""

    def __init__(
        self, name: str, most: int, most_waiting: int | None = None, prepare: Callable[[], None] | None = None
    ) -> None:
        self._name, self._most, self._most_waiting, self._prepare = name, most, most_waiting, prepare
        self._lock = Lock()
        self._started = 0
        self._idle: list[SimpleQueue[Call]] = []
        self._waiting: deque[Call] = deque()

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Runs the function in a thread, with the caller's context variables. It runs to its end even if the caller is
        cancelled meanwhile. Raises ServerBusy if too many wait already."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._take(Call(loop, future, copy_context(), function, args))
        return await future

    def _take(self, call: Call) -> None:
        with self._lock:
            if self._idle:
                self._idle.pop().put(call)
            elif self._started < self._most:
                self._started += 1
                name = f"{self._name}-{self._started}"
                Thread(target=self._work, args=(call,), name=name, daemon=True).start()
            elif self._most_waiting is not None and len(self._waiting) >= self._most_waiting:
                raise ServerBusy
            else:
                self._waiting.append(call)

    def _work(self, call: Call) -> None:
        inbox: SimpleQueue[Call] = SimpleQueue()
        if self._prepare is not None:
            self._prepare()
        while True:
            outcome = call.run()
            with self._lock:
                following = self._waiting.popleft() if self._waiting else None
                if following is None:
                    # Before whoever waits is told: the request that follows finds this thread, which is warm.
                    self._idle.append(inbox)
            call.settle(outcome)
            del call, outcome  # What they hold is free while the thread waits.
            call = following if following is not None else inbox.get()
            del following


@cache
def threads(pool: Pool) -> Threads:
    """Of this process: they belong to no event loop."""
    prepare = use_reserved_connections if pool is Pool.URGENT else None
    return Threads(pool, MOST_THREADS[pool], MOST_WAITING.get(pool), prepare)


def _settle(future: asyncio.Future[Any], outcome: Outcome) -> None:
    if future.done():  # Whoever waited was cancelled.
        return
    if outcome.error is None:
        future.set_result(outcome.result)
    else:
        future.set_exception(outcome.error)
