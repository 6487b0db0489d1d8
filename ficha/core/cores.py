"""Which of the machine's cores threads run on. Elsewhere than on Linux all of this does nothing."""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# As the process got them, from the system or from whoever runs it.
EVERY = frozenset(os.sched_getaffinity(0)) if sys.platform == "linux" else frozenset[int]()


def stay_on_one_core() -> None:
    """This thread, all others of this process that run Python by now, and those that they start. Python runs one of
    them at a time: on two cores each turn brings what it works on from the cache of one to that of the other, which is
    up to a third of what a request costs. Processes that start after each other stay on different ones."""
    if len(EVERY) > 1:
        core = sorted(EVERY)[os.getpid() % len(EVERY)]
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and thread.native_id is not None:
                _set(thread.native_id, {core})
        _set(0, {core})  # The last: whoever sees it there knows that the others are.


def use_all_cores() -> None:
    """This thread, and those that it starts: for what works outside of Python's lock."""
    if len(EVERY) > 1:
        _set(0, EVERY)


@contextmanager
def on_all_cores() -> Iterator[None]:
    """While a process is started, which stays where the thread is that starts it."""
    if len(EVERY) <= 1:
        yield
        return
    before = os.sched_getaffinity(0)
    use_all_cores()
    try:
        yield
    finally:
        _set(0, before)


def _set(thread: int, cores: "set[int] | frozenset[int]") -> None:
    with suppress(OSError):  # It has ended, or the system does not let us: then all stays as it is.
        os.sched_setaffinity(thread, cores)
