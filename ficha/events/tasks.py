"""Ending a task for good."""

import asyncio
from typing import Any

AGAIN_SECONDS = 0.2


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Asked again until it ends: `wait_for` of Python 3.11 loses a cancellation that comes in the moment in which it
    has its answer, and the drivers use it. Who waited for such a task would wait for ever."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=AGAIN_SECONDS)
