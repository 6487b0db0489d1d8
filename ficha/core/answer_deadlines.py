"""A limit on our side for how long PostgreSQL may take to answer.

A server that is frozen, or cut off, says nothing, and its own timeouts do not run; where only its processes stand
still, the kernel goes on to answer for it, and no keepalive notices. So one thread of the process looks at every
connection that waits, and shuts the socket of one that waited for too long: the driver then sees a lost connection, as
it does when a server dies. What PostgreSQL had begun there it rolls back when it finds out.
"""

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from math import inf
from threading import Lock, Thread
from time import monotonic, sleep

from ficha.core.log import log

# Where no setting says otherwise; more than anybody waits for a lock.
ANSWER_SECONDS = 15.0
LOOK_SECONDS = 0.25
# The share of FICHA_DATABASE_ANSWER_SECONDS that a stranger's page and an alert wait, and that the deletion of what is
# old may take.
URGENT_SHARE = 1 / 3
LONG_SHARE = 20


class LostServer:
    """When the server behind the connections of a database was last found to be gone, frozen or read-only: what was
    opened before is not used again, for what is wrong with one of them is wrong with all."""

    def __init__(self) -> None:
        self.at = -inf

    def lose(self) -> None:
        self.at = monotonic()


class ConnectionWatch:
    """Of one connection: until when its server may take to answer. `seconds` is None where nobody minds."""

    def __init__(self, fileno: int, server: LostServer) -> None:
        # Of our own: the driver may close its file while we look, and the number be another's by then.
        self._socket = socket.socket(fileno=os.dup(fileno))
        self._server = server
        self._opened_at = monotonic()
        self.seconds: float | None = None
        self.ends_at = inf

    @property
    def is_outdated(self) -> bool:
        return self._opened_at <= self._server.at

    def begin(self) -> None:
        """Something was asked."""
        if self.seconds is not None:
            self.ends_at = monotonic() + self.seconds

    def pause(self) -> None:
        """It was answered."""
        self.ends_at = inf

    def end(self) -> None:
        """It is in the pool again."""
        self.seconds, self.ends_at = None, inf

    def lose_server(self) -> None:
        self._server.lose()

    def cut(self) -> None:
        self.ends_at = inf
        self._server.lose()
        with suppress(OSError):  # It was closed in this moment.
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()


class AnswerWatchdog:
    """Looks at all connections of this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._watches: set[ConnectionWatch] = set()
        self._thread: Thread | None = None

    def add(self, watch: ConnectionWatch) -> None:
        with self._lock:
            self._watches.add(watch)
            if self._thread is None or not self._thread.is_alive():  # It does not live on in a forked process.
                self._thread = Thread(target=self._look, name="answer-deadlines", daemon=True)
                self._thread.start()

    def remove(self, watch: ConnectionWatch) -> None:
        with self._lock:
            self._watches.discard(watch)
        watch.close()

    def _look(self) -> None:
        while True:
            sleep(LOOK_SECONDS)
            now = monotonic()
            with self._lock:
                late = [watch for watch in self._watches if watch.ends_at <= now]
            for watch in late:
                seconds = watch.seconds
                watch.cut()
                log().error("database.no_answer", seconds=seconds)


watchdog = AnswerWatchdog()


@contextmanager
def watched(fileno: int, seconds: float) -> Iterator[ConnectionWatch]:
    """Of a connection that is in no pool."""
    watch = ConnectionWatch(fileno, LostServer())
    watch.seconds = seconds
    watchdog.add(watch)
    try:
        yield watch
    finally:
        watchdog.remove(watch)
