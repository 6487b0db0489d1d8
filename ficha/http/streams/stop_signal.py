"""Reacts to SIGTERM before the server waits for open responses.

The server closes its listening socket, waits until every response has ended, and only then ends the lifespan. A stream
would never end by itself, so it has to be ended by the signal.
"""

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopSignal:
    """Calls `on_stop` on the event loop when the process gets a stop signal, then the handler that was there before.

    The event loop learns of signals through a file descriptor of its own, which this does not touch.
    """

    def __init__(self, on_stop: Callable[[], None]) -> None:
        self._on_stop = on_stop
        self._before: dict[int, Any] = {}

    def start(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return  # Only the main thread gets signals: a test runs the application in another.
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            before = signal.getsignal(number)
            if not callable(before):
                continue  # The server has no handler, so it does not wait for responses.
            self._before[number] = before
            signal.signal(number, self._handler(loop, before))
            signal.siginterrupt(number, False)

    def stop(self) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    def _handler(self, loop: asyncio.AbstractEventLoop, before: Callable[..., Any]) -> Callable[..., Any]:
        def handle(number: int, frame: FrameType | None) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._on_stop)
            before(number, frame)

        return handle
