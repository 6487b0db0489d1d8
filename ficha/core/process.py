"""All that is set for a whole process or thread: garbage collection, the C library's memory, cores, priority, how often
Python's lock is passed on, and when it ends: with the one that started it, and not half-way. What the first five gain
stands in ficha/asgi/README.md. Elsewhere than on Linux memory and cores stay as they are."""

import ctypes
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# As the process got them, from the system or from whoever runs it.
EVERY = frozenset(os.sched_getaffinity(0)) if sys.platform == "linux" else frozenset[int]()
# Of mallopt(3).
M_ARENA_MAX, M_MMAP_THRESHOLD = -8, -3
LARGE_BLOCK = 1024 * 1024
# How often a server gives memory back.
MEMORY_SECONDS = 30
# When the server has started the threads that carry bytes to its sockets and back. These work beside Python: would they
# stay on its core, the fast lane would lose a tenth of its speed.
SETTLED_SECONDS = 1.0
# Of what waits behind everything that somebody waits for.
NICENESS = 10
# How long a thread may keep Python's lock while others want it. The server takes the lock once for each piece of a
# request, and beside the parsing of a large body each time would wait for Python's own five milliseconds.
SWITCH_SECONDS = 0.0005
PARENT_SECONDS = 0.25


def begin_loading() -> None:
    """Before anything heavy is imported. Loading makes a few hundred thousand objects that live for ever: looking
    through them again and again for rubbish is an eighth of the start's work."""
    gc.disable()


def end_loading() -> None:
    """What was loaded is left out of every later round of tidying."""
    gc.freeze()
    gc.enable()


def set_up_server_process(parent: int | None) -> None:
    """`parent` is the process that started it, if that is a server too."""
    if parent is not None:
        end_with_parent(parent)
    use_one_heap()
    sys.setswitchinterval(SWITCH_SECONDS)


def set_up_reading_process() -> None:
    """Of one that reads what strangers sent: pictures, workbooks."""
    os.nice(NICENESS)
    use_one_heap()  # Its address space is bounded, and a heap for the thread that watches would be a twentieth.
    keep_no_large_blocks()
    end_with_parent(os.getppid())


def set_up_hashing_thread() -> None:
    """A hundred logins may wait, the page of an emergency may not. On Linux a thread has a priority of its own. And it
    hashes outside of Python's lock, beside the threads of the requests."""
    use_all_cores()
    if sys.platform == "linux":
        os.nice(NICENESS)


def use_one_heap() -> None:
    """The C library gives most threads a heap of their own, each as large as the most that its thread ever needed: with
    Python's lock one thread allocates at a time, and one heap is enough."""
    if sys.platform == "linux":
        _c_library("mallopt", M_ARENA_MAX, 1)


def give_memory_back() -> None:
    """What was freed, to the system: the C library keeps blocks of up to 32 MB for the next who asks, as those of
    Argon2id and of large bodies. To be called now and then: to get such a block anew each time takes a third of what
    Argon2id does."""
    if sys.platform == "linux":
        _c_library("malloc_trim", 0)


def keep_no_large_blocks() -> None:
    """What is larger than a megabyte goes back to the system when it is freed. Else the C library learns from the first
    such block to keep the next ones in its heap, and each picture finds the holes of the last one too small."""
    if sys.platform == "linux":
        _c_library("mallopt", M_MMAP_THRESHOLD, LARGE_BLOCK)


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


def end_with_parent(parent: int) -> None:
    """From now on this process ends, whatever it does, when the one with the id `parent` that started it is gone: one
    that was killed cannot tell its children, and a server process without it would go on serving an old version. To
    look every now and then works on every system and however it was started."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_SECONDS)
        os._exit(1)  # As by a kill. To stop politely may take longer than somebody waits who starts it again.

    threading.Thread(target=watch, name="end-with-parent", daemon=True).start()


@contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """In the main thread, around what is short and of which the one half must not be left without the other."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _set(thread: int, cores: "set[int] | frozenset[int]") -> None:
    with suppress(OSError):  # It has ended, or the system does not let us: then all stays as it is.
        os.sched_setaffinity(thread, cores)


def _c_library(name: str, *values: int) -> None:
    function = getattr(ctypes.CDLL(None), name, None)
    if function is not None:  # Only glibc has them.
        function(*values)
