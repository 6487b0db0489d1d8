"""Threads for requests, for side work and for calls to a platform: limited so that requests cannot block each other.

A request may hold a database connection from one step to the next, and each step needs a thread. With more requests
than threads, every thread could wait for a connection whose holder waits for a thread. So each request takes a slot
first, and there are as many slots as threads. Work outside a slot has threads of its own and holds nothing between its
steps.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

T = TypeVar("T")

SIDE_THREADS = 20
# Calls to a platform may take long: they must not keep a quick query of our own database waiting.
PLATFORM_THREADS = 20
_request_slots: RunVar[CapacityLimiter] = RunVar("ficha_request_slots")
_side_threads: RunVar[CapacityLimiter] = RunVar("ficha_side_threads")
_platform_threads: RunVar[CapacityLimiter] = RunVar("ficha_platform_threads")


@asynccontextmanager
async def request_slot() -> AsyncIterator[None]:
    """Around everything of a request that may hold a connection, and nothing that waits for the caller."""
    threads = to_thread.current_default_thread_limiter().total_tokens
    async with _limiter(_request_slots, int(threads)):
        yield


async def run_in_side_thread(function: Callable[..., T], *args: Any) -> T:
    """Runs the function in a thread that no request in a slot needs."""
    return await to_thread.run_sync(partial(function, *args), limiter=_limiter(_side_threads, SIDE_THREADS))


async def run_platform_call(function: Callable[..., T], *args: Any) -> T:
    """Runs a call to a platform in one of the threads kept for such calls."""
    return await to_thread.run_sync(partial(function, *args), limiter=_limiter(_platform_threads, PLATFORM_THREADS))


def _limiter(kept: RunVar[CapacityLimiter], size: int) -> CapacityLimiter:
    """The limiter of this event loop, made when first needed."""
    try:
        return kept.get()
    except LookupError:
        made = CapacityLimiter(size)
        kept.set(made)
        return made
