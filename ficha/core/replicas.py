"""Replicas of the database: how much each of them has, and when one is read instead of the primary."""

import math
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from ficha.core.clock import Clock
from ficha.core.db import Database, Unavailable, is_unavailable

T = TypeVar("T")
NEVER = -math.inf


class Replica:
    """`complete_at`: it has every change that was acknowledged before this moment of time.monotonic(). Whoever finds
    that it does not answer sets it to NEVER; who watches it (fastlane/replica_watch.py) sets it again."""

    def __init__(self, url: str, clock: Clock) -> None:
        self.database = Database(url, clock=clock, pool_size=1)
        self.complete_at = NEVER

    @property
    def age(self) -> float:
        """In seconds. A replica never goes back, so what is read from it next is not older than this."""
        return time.monotonic() - self.complete_at


class Replicas:
    """In the order of the setting: the nearest first. `max_age` is 0 where nothing is answered without the primary."""

    def __init__(self, urls: Sequence[str], clock: Clock, *, max_lag: float, max_age: float) -> None:
        self.all = [Replica(url, clock) for url in urls]
        self._max_lag, self._max_age = max_lag, max_age
        self._is_primary_silent = False

    def fresh(self) -> Replica | None:
        """The nearest that has all but the changes of the last moments; none while the primary is silent."""
        if self._is_primary_silent:
            return None
        return next((replica for replica in self.all if replica.age <= self._max_lag), None)

    @property
    def is_primary_lost(self) -> bool:
        """Whether it does not answer and a replica may be read in its place, however old within the bound."""
        return self._is_primary_silent and self.newest() is not None

    def newest(self) -> Replica | None:
        """What may be read while the primary is silent."""
        replica = min(self.all, key=lambda one: one.age)
        return replica if replica.age <= self._max_age else None

    def primary_is(self, *, silent: bool) -> None:
        self._is_primary_silent = silent

    def read(self, primary: Database, read: Callable[[Database, float | None], T]) -> T:
        """From the primary, and only if that is silent from a replica: `read` is told how many seconds old it may be.
        Raises what the primary raised, or Unavailable, if no replica may answer."""
        if not self.is_primary_lost:
            try:
                return read(primary, None)
            except Exception as error:
                if not is_unavailable(error) or self.newest() is None:
                    raise
        while replica := self.newest():
            try:
                return read(replica.database, replica.age)
            except Exception as error:
                if not is_unavailable(error):
                    raise
                replica.complete_at = NEVER
        raise Unavailable

    def close(self) -> None:
        for replica in self.all:
            replica.database.close()
