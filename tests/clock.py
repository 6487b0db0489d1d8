"""A clock that stands still until a test moves it, or ticks: then each look at it is a second later."""

from datetime import UTC, datetime, timedelta


class MovableClock:
    def __init__(self) -> None:
        self._now = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
        self.ticks = False

    def now(self) -> datetime:
        if self.ticks:
            self.move(seconds=1)
        return self._now

    def move(self, **step: float) -> None:
        self._now += timedelta(**step)

    def catch_up(self) -> None:
        """For tests in which something goes by the machine's own time too."""
        self._now = datetime.now(UTC)
