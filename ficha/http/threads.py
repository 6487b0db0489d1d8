"""Threads, shared out so that no two requests wait for each other for ever.

A request may hold a database connection from one step to the next, and each step needs a thread. With more requests
than threads, every thread could be waiting for a connection whose holder waits for a thread. So a request takes a turn
first, and there are as many turns as threads. Whoever works outside a turn has threads apart, and holds nothing between
his steps.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

T = TypeVar("T")

# Calls to a platform may take long: they must not keep a quick look at our own database waiting.
BESIDE, OUTSIDE = 20, 20
_turns: RunVar[CapacityLimiter] = RunVar("ficha_turns")
_beside: RunVar[CapacityLimiter] = RunVar("ficha_beside")
_outside: RunVar[CapacityLimiter] = RunVar("ficha_outside")


@asynccontextmanager
async def request_slot() -> AsyncIterator[None]:
    """Around everything of a request that may hold a connection, and nothing that waits for the caller."""
    threads = to_thread.current_default_thread_limiter().total_tokens
    async with _limiter(_turns, int(threads)):
        yield


async def run_in_side_thread(function: Callable[..., T], *args: Any) -> T:
    return await to_thread.run_sync(partial(function, *args), limiter=_limiter(_beside, BESIDE))


async def run_platform_call(function: Callable[..., T], *args: Any) -> T:
    return await to_thread.run_sync(partial(function, *args), limiter=_limiter(_outside, OUTSIDE))


def _limiter(kept: RunVar[CapacityLimiter], size: int) -> CapacityLimiter:
    """One for each event loop."""
    try:
        return kept.get()
    except LookupError:
        made = CapacityLimiter(size)
        kept.set(made)
        return made
