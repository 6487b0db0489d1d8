"""Ctrl-C in a command, and a stop that comes while a process of the server still starts."""

import os
import signal
from threading import Event
from types import FrameType

EXIT_CODE = 130
SENTENCE = "Interrupted. What was finished is kept and nothing is half done: run the command again."
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Interrupted(KeyboardInterrupt):
    """For a KeyboardInterrupt, and nothing else, PostgreSQL's driver cancels what is under way before it goes on: the
    connection can then be rolled back."""


_interrupted = Event()


def end_on_ctrl_c() -> None:
    """While the command is loaded, which takes a second on a busy machine and has begun nothing."""
    signal.signal(signal.SIGINT, _end)


def raise_interrupted_on_ctrl_c() -> None:
    """Until a command that serves puts a handler of its own there."""
    _interrupted.clear()
    signal.signal(signal.SIGINT, _raise)


def was_interrupted() -> bool:
    """Whatever has become of the exception: libraries make others of it, as of a question that is left unanswered."""
    return _interrupted.is_set()


def _end(_number: int, _frame: FrameType | None) -> None:
    os.write(2, f"{SENTENCE}\n".encode())
    os._exit(EXIT_CODE)


def _raise(_number: int, _frame: FrameType | None) -> None:
    _interrupted.set()
    raise Interrupted


def end_starting_processes_at_once() -> None:
    """From now on, a process that this one forks ends at once on SIGTERM, until it puts a handler of its own there.

    Otherwise it would have this process's handlers until then: for a second or more, the server's way to stop its
    processes would change nothing in them, and it would wait for them in vain and kill them. Python also forgets a
    signal that comes during a fork, so signals are held back until it is over.
    """
    parent = os.getpid()
    masks: list[set[int]] = []

    def hold_back() -> None:
        if os.getpid() == parent:
            masks.append(signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS))

    def let_through() -> None:
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, masks.pop())

    def reset_and_let_through() -> None:
        if os.getppid() == parent:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            # Ctrl-C reaches the whole family: the parent alone decides, and sends SIGTERM.
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        let_through()

    os.register_at_fork(before=hold_back, after_in_parent=let_through, after_in_child=reset_and_let_through)
