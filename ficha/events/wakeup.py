"""What tells a process that there may be new events to read."""

from typing import Protocol

# How often a process reads without being told: on SQLite other processes cannot tell it, on PostgreSQL while the
# listening connection is down.
POLL_SECONDS = 0.5


class Wakeup(Protocol):
    """Calls a function on the event loop whenever events may have been committed. Calling too often does no harm."""

    @property
    def poll_seconds(self) -> float:
        """How long to wait for the call before reading anyway."""

    def start(self) -> None: ...
    async def stop(self) -> None: ...
