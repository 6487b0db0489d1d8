"""Ending an asyncio task for good."""

import asyncio
from typing import Any

RETRY_SECONDS = 0.2


async def end_task(task: "asyncio.Task[Any]") -> None:
    """Cancels the task again and again until it ends: `wait_for` of Python 3.11 loses a cancellation that comes at the
    moment in which it has its result, and the drivers use it. Waiting for such a task would never end."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=RETRY_SECONDS)
