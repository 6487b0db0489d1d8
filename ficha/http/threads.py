"""Threads for ending what was begun. Those that begin things may all be waiting for a database connection, which only
comes back when somebody ends something: in one queue the two would wait for each other."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

T = TypeVar("T")

THREADS = 20
_limiter: RunVar[CapacityLimiter] = RunVar("ficha_ending")


async def end(function: Callable[..., T], *args: Any) -> T:
    """Like `run_in_threadpool`, and never behind it."""
    try:
        limiter = _limiter.get()
    except LookupError:
        limiter = CapacityLimiter(THREADS)
        _limiter.set(limiter)
    return await to_thread.run_sync(partial(function, *args), limiter=limiter)
