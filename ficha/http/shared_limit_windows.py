"""Counts for rate limits in a store that several processes share, by the `limits` library."""

import time

from limits import RateLimitItemPerSecond
from limits.storage import Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter

from ficha.http.limit_windows import Counted, Limit

TIMEOUT_SECONDS = 0.25


class SharedWindows:
    """Its methods raise whatever the store's client raises."""

    name = "redis"

    def __init__(self, url: str) -> None:
        # Valkey speaks Redis; one client serves both.
        storage = storage_from_string(
            url.replace("valkey", "redis", 1), socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
        )
        assert isinstance(storage, Storage)
        self._storage = storage
        self._strategy = SlidingWindowCounterRateLimiter(storage)

    def hit(self, limit: Limit, name: str, who: str) -> Counted:
        item = RateLimitItemPerSecond(limit.amount, limit.seconds)
        allowed = self._strategy.hit(item, name, who)
        stats = self._strategy.get_window_stats(item, name, who)
        return Counted(allowed, max(0, stats.remaining), max(0.0, stats.reset_time - time.time()))

    def forget(self, limit: Limit, name: str, who: str) -> None:
        self._strategy.clear(RateLimitItemPerSecond(limit.amount, limit.seconds), name, who)

    def reset(self) -> None:
        self._storage.reset()

    def is_up(self) -> bool:
        return self._storage.check()
