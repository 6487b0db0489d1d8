"""The threads in which requests run: each request in one call of one thread, from its first check to its commit.

A request that waits for a thread holds nothing, and one that has a thread needs no other, so requests cannot block each
other. What may take long has threads of its own: an operation says so where it is declared.
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

T = TypeVar("T")


class Pool(StrEnum):
    """What a thread is for."""

    REQUESTS = "requests"
    # They wait for Argon2id, which takes 35 ms of a core and runs in two threads of its own.
    CLAVES = "claves"
    # A platform may take long to answer: it must not keep a quick query of our own waiting.
    PLATFORM = "platform"
    # For the event loop's own short questions.
    SIDE = "side"


MOST_THREADS = {Pool.REQUESTS: 40, Pool.CLAVES: 8, Pool.PLATFORM: 20, Pool.SIDE: 4}


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
    so are its connection and memory."""

    def __init__(self, name: str, most: int) -> None:
        self._name, self._most = name, most
        self._lock = Lock()
        self._started = 0
        self._idle: list[SimpleQueue[Call]] = []
        self._waiting: deque[Call] = deque()

    async def run(self, function: Callable[..., T], *args: Any) -> T:
        """Runs the function in a thread, with the caller's context variables. It runs to its end even if the caller is
        cancelled meanwhile."""
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
            else:
                self._waiting.append(call)

    def _work(self, call: Call) -> None:
        inbox: SimpleQueue[Call] = SimpleQueue()
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
    return Threads(pool, MOST_THREADS[pool])


def _settle(future: asyncio.Future[Any], outcome: Outcome) -> None:
    if future.done():  # Whoever waited was cancelled.
        return
    if outcome.error is None:
        future.set_result(outcome.result)
    else:
        future.set_exception(outcome.error)
