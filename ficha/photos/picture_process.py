"""A process that reads pictures: started when the first one comes, one picture at a time, ended when it is idle.

Decoding what strangers send is slow, takes much memory, and is where libraries have their holes: nothing of it happens
in the process that serves pages.
"""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Timer
from typing import Any

from ficha.core.process import on_all_cores
from ficha.photos.picture_messages import (
    REFUSALS,
    FramedMessage,
    PictureDamaged,
    PicturesBusy,
    read_message,
    write_message,
)

COMMAND = (sys.executable, "-I", "-m", "ficha.photos.picture_worker")


class PictureProcess:
    """`most_waiting`: how many may wait behind the one at work. `seconds`: how long one picture may take."""

    def __init__(self, *, most_waiting: int, seconds: float, idle_seconds: float) -> None:
        self._most_waiting, self._seconds, self._idle_seconds = most_waiting, seconds, idle_seconds
        self._lock = Lock()
        self._turn = Lock()
        self._asked = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._idle_timer: Timer | None = None

    @property
    def pid(self) -> int | None:
        """None while it does not run."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    @property
    def is_full(self) -> bool:
        return self._asked > self._most_waiting

    def ask(self, task: str, content: bytes, **options: Any) -> FramedMessage:
        """Raises PicturesBusy, also if it took too long, or why the picture is refused."""
        with self._queued(), self._turn:
            found = self._exchange({"task": task, **options}, content)
        if found is None:  # It died of this picture.
            raise PictureDamaged
        if "refused" in found.head:
            raise REFUSALS[found.head["refused"]]
        return found

    def end(self) -> None:
        with self._turn:
            self._end()

    @contextmanager
    def _queued(self) -> Iterator[None]:
        with self._lock:
            if self.is_full:
                raise PicturesBusy
            self._asked += 1
        try:
            yield
        finally:
            with self._lock:
                self._asked -= 1

    def _exchange(self, head: dict[str, Any], content: bytes) -> FramedMessage | None:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        is_late = Event()

        def end_late() -> None:
            is_late.set()
            process.kill()

        deadline = Timer(self._seconds, end_late)
        deadline.daemon = True
        deadline.start()
        try:
            write_message(process.stdin, head, content)
            answer = read_message(process.stdout)
        except OSError:
            answer = None
        finally:
            deadline.cancel()
        if answer is None:
            self._end()
            if is_late.is_set():  # On a busy machine it comes last: that says nothing about the picture.
                raise PicturesBusy
        else:
            self._end_when_idle()
        return answer

    def _started(self) -> "subprocess.Popen[bytes]":
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._process is None or self._process.poll() is not None:
            # Nothing of the service's environment: it may hold keys.
            environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
            with on_all_cores():
                self._process = subprocess.Popen(  # noqa: S603  A command of our own.
                    COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd="/"
                )
        return self._process

    def _end_when_idle(self) -> None:
        self._idle_timer = Timer(self._idle_seconds, self._end_if_idle)
        self._idle_timer.daemon = True
        self._idle_timer.start()

    def _end_if_idle(self) -> None:
        if self._turn.acquire(blocking=False):  # Else somebody has come meanwhile.
            try:
                self._end()
            finally:
                self._turn.release()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):  # What it had not read yet cannot be written any more.
                    stream.close()
        process.wait()
