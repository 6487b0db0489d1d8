"""Rate limits: how many times in how long, counted in memory or in a store that processes share."""

import re
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from starlette.requests import Request

from ficha.core.addresses import address_group
from ficha.core.clock import Clock
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.core.settings import Settings
from ficha.http.limit_windows import Limit, MemoryWindows

if TYPE_CHECKING:
    from ficha.http.shared_limit_windows import SharedWindows

# After the shared store failed, how long it is not asked: a dead store must not slow every request.
STORE_PAUSE_SECONDS = 5.0
# As the `limits` library writes them; loading it takes a fiftieth of the start, and only a shared store needs it.
LIMIT = re.compile(r"(?P<amount>[1-9]\d*) ?/ ?(?:(?P<several>[1-9]\d*) )?(?P<unit>second|minute|hour|day)s?")
SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400}


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

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.is_on = settings.rate_limits == "on"
        self.limits = {
            name.removeprefix("limit_"): limit_in(getattr(settings, name))
            for name in type(settings).model_fields
            if name.startswith("limit_")
        }
        self._windows = _windows(settings.limits_url.get_secret_value(), clock)
        self._paused_until = 0.0

    def hit(self, request: Request, name: str, who: str) -> None:
        """Counts this request for `who`; raises TooManyRequests when it is one too many."""
        if not self.is_on or time.monotonic() < self._paused_until:
            return
        limit = self.limits[name]
        try:
            counted = self._windows.hit(limit, name, who)
        except Exception as error:  # Whatever the store's client raises.
            self._pause(error)
            return
        reset = round(counted.reset)
        status = LimitStatus(name, limit.amount, limit.seconds, counted.remaining, reset)
        request.scope.setdefault("ficha.limits", []).append(status)
        if not counted.allowed:
            raise TooManyRequests(max(1, reset))

    def hit_address(self, request: Request, name: str, address: str) -> None:
        """Counts this request for its address, or for the network that one household has."""
        self.hit(request, name, address_group(address))

    def hit_claim(self, request: Request, address: str, account_id: int | None = None) -> None:
        """Counts a try to claim a code: for its address, and for the account where there is one already."""
        if account_id is not None:
            self.hit(request, "claim", f"account:{account_id}")
        self.hit_address(request, "claim", address)

    def hit_invitation(self, request: Request, account_id: int, recipient: str) -> None:
        """Counts an invitation to a record: for the account that sends it, and for who gets it from everybody."""
        self.hit(request, "invitation", f"account:{account_id}")
        self.hit(request, "invitation_target", recipient)

    def forget(self, name: str, who: str) -> None:
        """Sets the count for `who` to zero: after a right clave, the wrong ones before it no longer count."""
        if not self.is_on or time.monotonic() < self._paused_until:
            return
        try:
            self._windows.forget(self.limits[name], name, who)
        except Exception as error:
            self._pause(error)

    def reset(self) -> None:
        self._windows.reset()

    def _pause(self, error: Exception) -> None:
        self._paused_until = time.monotonic() + STORE_PAUSE_SECONDS
        log().error("limits.store_down", error=type(error).__name__, open_for_seconds=STORE_PAUSE_SECONDS)


def limit_in(text: str) -> Limit:
    """Of "5/minute" or "10/15 minutes"; raises ValueError for anything else."""
    found = LIMIT.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"a limit looks like 5/minute or 10/15 minutes, not {text!r}")
    return Limit(int(found["amount"]), int(found["several"] or 1) * SECONDS[found["unit"]])


def _windows(url: str, clock: Clock) -> "MemoryWindows | SharedWindows":
    if not url:
        return MemoryWindows(clock)
    from ficha.http.shared_limit_windows import SharedWindows  # noqa: PLC0415  Most processes share with nobody: start.

    return SharedWindows(url)
