"""Ctrl-C in a command: one sentence, exit code 130, and nothing half done."""

import signal
from types import FrameType

EXIT_CODE = 130
SENTENCE = "Interrupted. What was finished is kept and nothing is half done: run the command again."


class Interrupted(BaseException):
    """Not KeyboardInterrupt, of which the library of the command line makes `Aborted.` and exit code 1."""


def raise_interrupted_on_ctrl_c() -> None:
    """Until a command that serves puts a handler of its own there."""
    signal.signal(signal.SIGINT, _raise)


def _raise(_number: int, _frame: FrameType | None) -> None:
    raise Interrupted
