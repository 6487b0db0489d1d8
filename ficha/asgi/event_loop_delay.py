"""Whether the event loop is late. Threads with long work look here first: who holds Python's lock meanwhile is in the
way of everybody who waits for an answer. While there is such work, threads also pass that lock on more often: the
server takes it once for each piece of a request, and what comes in then waits in a row."""

import asyncio
import sys
import time
from collections.abc import Callable

BEAT_SECONDS = 0.01
# Later than this, long work waits, but never longer than that: it goes on even if the loop is always late.
LATE_SECONDS = 0.03
LONGEST_WAIT_SECONDS = 0.25
PAUSE_SECONDS = 0.005
# How long a thread may keep Python's lock while others want it: as Python has it, and beside long work.
USUAL_SWITCH_SECONDS = sys.getswitchinterval()
BRISK_SWITCH_SECONDS = 0.0005


class LoopPulse:
    """Beats on an event loop as long as `is_wanted` says."""

    def __init__(self, is_wanted: Callable[[], bool]) -> None:
        self._is_wanted = is_wanted
        self._loop: asyncio.AbstractEventLoop | None = None
        self._beaten = 0.0

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """To be called on the loop, for each work that is put aside."""
        if self._loop is None or self._loop.is_closed():
            self._loop = loop
            self._beaten = time.monotonic()
            loop.call_later(BEAT_SECONDS, self._beat)

    def wait(self) -> None:
        """In a thread: returns once the loop is in time."""
        ends_at = time.monotonic() + LONGEST_WAIT_SECONDS
        while ends_at > (now := time.monotonic()) and now > self._beaten + LATE_SECONDS:
            time.sleep(PAUSE_SECONDS)

    def _beat(self) -> None:
        assert self._loop is not None
        self._beaten = time.monotonic()
        if self._is_wanted():
            sys.setswitchinterval(BRISK_SWITCH_SECONDS)
            self._loop.call_later(BEAT_SECONDS, self._beat)
        else:
            sys.setswitchinterval(USUAL_SWITCH_SECONDS)  # Another that beats sets it again at once.
            self._loop = None
