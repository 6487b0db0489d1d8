"""Hearing of a stop before the server waits for it.

The server closes its listening socket, waits until every answer has ended, and only then ends the lifespan. An answer
that ends for nothing else has to hear of the signal itself.
"""

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopSignal:
    """Calls `stopping` on the loop when the process is told to stop, and leaves the rest to who was there before.

    An event loop hears of signals through a descriptor of its own, which this does not touch.
    """

    def __init__(self, stopping: Callable[[], None]) -> None:
        self._stopping = stopping
        self._before: dict[int, Any] = {}

    def start(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Signals are not ours here: a test runs the application in a thread.
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            before = signal.getsignal(number)
            if not callable(before):
                continue  # Nobody stops gracefully, so nothing waits for us.
            self._before[number] = before
            signal.signal(number, self._heard(loop, before))
            signal.siginterrupt(number, False)

    def stop(self) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    def _heard(self, loop: asyncio.AbstractEventLoop, before: Callable[..., Any]) -> Callable[..., Any]:
        def heard(number: int, frame: FrameType | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._stopping)
            before(number, frame)

        return heard
