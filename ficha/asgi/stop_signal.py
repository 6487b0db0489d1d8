"""Reacts to SIGTERM before the server waits for open responses, and sees to it that the server learns of it, once.

The server closes its listening socket, waits until every response has ended, and only then ends the lifespan. A stream
would never end by itself, and a body that does not come would keep its request waiting: the signal has to end both.

The server asks its event loop for signals. Python writes their numbers into the pipe that wakes the loop, and each
request writes there too: a burst of some hundreds fills it, the signal is lost, and the server goes on until it is
killed. Several signals in a row were seen to hang it. So signals come here first, over a pipe that nothing else fills,
and the first of them is passed on when there is room (decision 22).
"""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable

SIGNALS = (signal.SIGTERM, signal.SIGINT)
RETRY_SECONDS = 0.01


class StopSignal:
    """Calls `on_stop` on the event loop at the first stop signal of the process, and tells the loop itself."""

    def __init__(self, on_stop: Callable[[], None]) -> None:
        self._on_stop = on_stop
        self._has_come = False
        self._pipe: tuple[socket.socket, socket.socket] | None = None
        # Where the loop reads the numbers of signals.
        self._loop_fd = -1

    def start(self) -> None:
        """To be called on the server's event loop."""
        if threading.current_thread() is not threading.main_thread():
            return  # Only the main thread gets signals: a test runs the application in another.
        self._loop_fd = signal.set_wakeup_fd(-1)
        if self._loop_fd == -1:
            return  # The server has no handler, so it does not wait for responses.
        self._pipe = ours, python = socket.socketpair()
        for end in self._pipe:
            end.setblocking(False)
        asyncio.get_running_loop().add_reader(ours, self._read, ours)
        signal.set_wakeup_fd(python.fileno(), warn_on_full_buffer=False)

    def stop(self) -> None:
        if self._pipe is None:
            return
        signal.set_wakeup_fd(self._loop_fd, warn_on_full_buffer=False)
        asyncio.get_running_loop().remove_reader(self._pipe[0])
        for end in self._pipe:
            end.close()
        self._pipe = None

    def _read(self, ours: socket.socket) -> None:
        for number in ours.recv(4096):
            if number not in SIGNALS:
                self._pass_on(number)
            elif not self._has_come:
                self._has_come = True
                self._pass_on(number)
                self._on_stop()

    def _pass_on(self, number: int) -> None:
        try:
            os.write(self._loop_fd, bytes([number]))
        except BlockingIOError:
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._pass_on, number)
