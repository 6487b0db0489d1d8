"""Each call that hands something to the outside is counted and timed, and is a span of the trace under way."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ficha.channels.errors import NotSent, Refused
from ficha.core.counters import count_send
from ficha.core.traces import note_span


def note_send(channel: str, began: float, error: BaseException | None) -> None:
    """`began` is by the monotonic clock."""
    if error is None:
        outcome = "accepted"
    elif isinstance(error, Refused):
        outcome = "refused"
    else:
        outcome = "not_sent" if isinstance(error, NotSent) else "unknown"
    seconds = time.monotonic() - began
    count_send(channel, outcome, seconds)
    said = {"ficha.channel": channel, "ficha.outcome": outcome}
    note_span(f"send {channel}", seconds, said, None if error is None else type(error).__name__)


@contextmanager
def watched_send(channel: str) -> Iterator[None]:
    began = time.monotonic()
    try:
        yield
    except Exception as error:
        note_send(channel, began, error)
        raise
    note_send(channel, began, None)
