"""Rate limits: messages of a number, messages to one person, and management calls of the account."""

import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.errors import GraphError


@dataclass
class Bucket:
    """A token bucket: full at first; each message takes one, and one comes back every `seconds_each`."""

    left: float
    at: float

    def take(self, now: float, capacity: float, seconds_each: float) -> bool:
        self.left = min(capacity, self.left + max(0.0, now - self.at) / seconds_each)
        self.at = now
        if self.left < 1:
            return False
        self.left -= 1
        return True


@dataclass
class Limits:
    pairs: dict[tuple[str, str], Bucket] = field(default_factory=dict)
    numbers: dict[str, Bucket] = field(default_factory=dict)
    calls: list[datetime] = field(default_factory=list)

    def check_throughput(self, behaviour: Behaviour, phone_number_id: str) -> None:
        """By the machine's clock: a burst takes real time, even while the platform's clock stands still."""
        if behaviour.per_second is None:
            return
        now = time.monotonic()
        bucket = self.numbers.setdefault(phone_number_id, Bucket(behaviour.per_second, now))
        if not bucket.take(now, behaviour.per_second, 1 / behaviour.per_second):
            raise GraphError(130429, status=behaviour.limit_status)

    def check_pair(self, behaviour: Behaviour, phone_number_id: str, person: str, now: datetime) -> None:
        if behaviour.pair_burst is None:
            return
        seconds = now.timestamp()
        bucket = self.pairs.setdefault((phone_number_id, person), Bucket(behaviour.pair_burst, seconds))
        if not bucket.take(seconds, behaviour.pair_burst, behaviour.pair_seconds):
            raise GraphError(131056)

    def check_management(self, behaviour: Behaviour, now: datetime) -> None:
        if behaviour.management_per_hour is None:
            return
        self.calls = [at for at in self.calls if at > now - timedelta(hours=1)]
        # Calls made while limited count too.
        self.calls.append(now)
        if len(self.calls) > behaviour.management_per_hour:
            raise GraphError(80007)

    def usage(self, behaviour: Behaviour) -> int:
        """Percent of the hourly calls."""
        return min(100, 100 * len(self.calls) // (behaviour.management_per_hour or 5000))
