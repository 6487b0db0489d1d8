"""Rate limits: how many times in how long, counted in memory or in a store that processes share."""

import time
from dataclasses import dataclass

from limits import RateLimitItem, parse
from limits.storage import Storage, storage_from_string
from limits.strategies import SlidingWindowCounterRateLimiter
from starlette.requests import Request

from ficha.core.addresses import address_group
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.core.settings import Settings
from ficha.http.limit_windows import MemoryWindows

# After the shared store failed, how long it is not asked: a dead store must not slow every request.
STORE_PAUSE_SECONDS = 5.0
STORE_TIMEOUT_SECONDS = 0.25


class TooManyRequests(FichaError):
    status = 429
    code = "demasiadas_peticiones"
    message = "Son demasiados intentos seguidos. Espere un momento y vuelva a probar."

    def __init__(self, seconds: int) -> None:
        super().__init__(self.message)
        self.headers = {"Retry-After": str(max(1, seconds))}


@dataclass(frozen=True)
class LimitStatus:
    """How far one limit is used up, for the RateLimit headers."""

    name: str
    quota: int
    window: int
    remaining: int
    reset: int

    @property
    def policy(self) -> str:
        return f'"{self.name}";q={self.quota};w={self.window}'

    @property
    def state(self) -> str:
        return f'"{self.name}";r={self.remaining};t={self.reset}'


class Limiter:
    """Counts requests. While the shared store is down nothing is limited, and the log says so."""

    def __init__(self, settings: Settings) -> None:
        self.is_on = settings.rate_limits == "on"
        self.items: dict[str, RateLimitItem] = {
            name.removeprefix("limit_"): parse(getattr(settings, name))
            for name in type(settings).model_fields
            if name.startswith("limit_")
        }
        self._storage = _storage(settings.limits_url.get_secret_value())
        self._strategy = SlidingWindowCounterRateLimiter(self._storage)
        self._paused_until = 0.0

    def hit(self, request: Request, name: str, who: str) -> None:
        """Counts this request for `who`; raises TooManyRequests when it is one too many."""
        if not self.is_on or time.monotonic() < self._paused_until:
            return
        item = self.items[name]
        try:
            allowed = self._strategy.hit(item, name, who)
            stats = self._strategy.get_window_stats(item, name, who)
        except Exception as error:  # Whatever the store's client raises.
            self._pause(error)
            return
        reset = max(0, round(stats.reset_time - time.time()))
        status = LimitStatus(name, item.amount, item.get_expiry(), max(0, stats.remaining), reset)
        request.scope.setdefault("ficha.limits", []).append(status)
        if not allowed:
            raise TooManyRequests(reset)

    def hit_address(self, request: Request, name: str, address: str) -> None:
        """Counts this request for its address, or for the network that one household has."""
        self.hit(request, name, address_group(address))

    def forget(self, name: str, who: str) -> None:
        """Sets the count for `who` to zero: after a right clave, the wrong ones before it no longer count."""
        if not self.is_on or time.monotonic() < self._paused_until:
            return
        try:
            self._strategy.clear(self.items[name], name, who)
        except Exception as error:
            self._pause(error)

    def reset(self) -> None:
        self._storage.reset()

    def _pause(self, error: Exception) -> None:
        self._paused_until = time.monotonic() + STORE_PAUSE_SECONDS
        log().error("limits.store_down", error=type(error).__name__, open_for_seconds=STORE_PAUSE_SECONDS)


def _storage(url: str) -> Storage:
    if not url:
        return MemoryWindows()
    # Valkey speaks Redis; one client serves both.
    storage = storage_from_string(
        url.replace("valkey", "redis", 1),
        socket_timeout=STORE_TIMEOUT_SECONDS,
        socket_connect_timeout=STORE_TIMEOUT_SECONDS,
    )
    assert isinstance(storage, Storage)
    return storage
