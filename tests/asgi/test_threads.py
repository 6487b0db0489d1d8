"""Pools of threads: as many as allowed, the warmest first, and calls that run to their end."""

import asyncio
from contextvars import ContextVar
from threading import Event, current_thread

import pytest

from ficha.asgi.threads import Threads


def test_no_more_threads_than_allowed_and_the_last_one_busy_is_taken_first() -> None:
    pool = Threads("few", 2)
    gate = Event()

    async def fill() -> tuple[set[str], list[str]]:
        blocked = [asyncio.create_task(pool.run(lambda: (gate.wait(30), current_thread().name)[1])) for _ in range(5)]
        await asyncio.sleep(0)
        gate.set()
        names = {await task for task in blocked}
        return names, [await pool.run(lambda: current_thread().name) for _ in range(5)]

    names, later = asyncio.run(fill())
    assert names == {"few-1", "few-2"}
    assert len(set(later)) == 1, "one warm thread is enough for one request after another"


def test_errors_and_context_go_with_the_call() -> None:
    pool = Threads("one", 1)
    who: ContextVar[str] = ContextVar("who")

    def fail() -> None:
        raise KeyError("nothing")

    async def ask() -> str:
        who.set("ana")
        with pytest.raises(KeyError, match="nothing"):
            await pool.run(fail)
        return await pool.run(who.get)

    assert asyncio.run(ask()) == "ana"


def test_a_call_whose_caller_left_runs_to_its_end() -> None:
    pool = Threads("left", 1)
    started, gate, done = Event(), Event(), Event()

    def slow() -> None:
        started.set()
        gate.wait(30)
        done.set()

    async def leave() -> None:
        task = asyncio.create_task(pool.run(slow))
        while not started.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        gate.set()
        await pool.run(lambda: None)  # The same thread, after the first call.

    asyncio.run(leave())
    assert done.is_set()
