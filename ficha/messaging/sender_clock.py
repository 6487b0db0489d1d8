"""The times that others write: those of their own clocks, which may be wrong."""

from datetime import UTC, datetime, timedelta

# The platform did not exist before.
EARLIEST = datetime(2009, 1, 1, tzinfo=UTC)
# Clocks that differ by less are taken as they are.
DIFFERENCE = timedelta(minutes=1)


def possible_time(at: datetime, now: datetime) -> datetime:
    """The nearest time at which it can have been written."""
    return now if at > now + DIFFERENCE else max(at, EARLIEST)
