"""How often Chatwoot lets somebody ask: a count in each window of time."""

from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta


class ChatwootLimits:
    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._times: dict[str, deque[datetime]] = {}

    def allows(self, name: str, most: int | None, window: timedelta) -> bool:
        """Counts one more under this name, unless there are as many already."""
        if most is None:
            return True
        now = self._now()
        times = self._times.setdefault(name, deque())
        while times and now - times[0] >= window:
            times.popleft()
        if len(times) >= most:
            return False
        times.append(now)
        return True
