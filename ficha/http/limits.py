"""Rate limits: how many times in how long, counted in memory or in a store that processes share."""

import time
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.types import Scope

from ficha.core.addresses import address_group
from ficha.core.clock import Clock
from ficha.core.errors import FichaError
from ficha.core.log import log
from ficha.core.setting_groups.limits import LimitSettings, amount_and_seconds
from ficha.core.settings import Settings
from ficha.core.text_types import correo_key
from ficha.http.limit_windows import Counted, Limit, MemoryWindows

if TYPE_CHECKING:
    from ficha.http.shared_limit_windows import SharedWindows

# Where the scope of a request holds the limits that it was counted against.
COUNTED = "ficha.limits"
# After the shared store failed, how long it is not asked: a dead store must not slow every request.
STORE_PAUSE_SECONDS = 5.0


class RateLimit(StrEnum):
    """Each has a setting, which says how often (core/setting_groups/limits.py), and this name in the headers."""

    LOGIN = "login"
    LOGIN_ACCOUNT = "login_account"
    LOGIN_UNKNOWN = "login_unknown"
    REGISTRATION = "registration"
    CODE = "code"
    TOKEN = "token"  # noqa: S105
    KEY = "key"
    PLATFORM_KEY = "platform_key"
    TYPED = "typed"
    GLASS = "glass"
    GLASS_ADDRESS = "glass_address"
    CLAIM = "claim"
    INVITATION = "invitation"
    INVITATION_TARGET = "invitation_target"
    CONTACT_TEST = "contact_test"
    CONTACT_TEST_TARGET = "contact_test_target"
    PICTURE = "picture"
    LINK = "link"
    RELAY = "relay"
    CARNET = "carnet"
    HEALTH_LINK = "health_link"
    HEALTH_LINK_IMPORT = "health_link_import"
    PLATFORM = "platform"
    TYPED_ALL = "typed_all"


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

    name: RateLimit
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


def limit_headers(scope: Scope) -> list[tuple[bytes, bytes]]:
    """Of the limits that this request was counted against."""
    counted: list[LimitStatus] = scope.get(COUNTED, [])
    if not counted:
        return []
    policy, state = ", ".join([each.policy for each in counted]), ", ".join([each.state for each in counted])
    return [(b"ratelimit-policy", policy.encode()), (b"ratelimit", state.encode())]


class Limiter:
    """Counts requests. While the shared store is down nothing is limited, and the log says so."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.is_on = settings.rate_limits == "on"
        self.limits = limits_in(settings)
        self._windows = _windows(settings.limits_url.get_secret_value(), clock)
        self._paused_until = 0.0

    def hit(self, request: Request, limit: RateLimit, who: str) -> None:
        """Counts this request for `who`; raises TooManyRequests when it is one too many."""
        counted = self._count(limit, who)
        if counted is None:
            return
        amount, seconds = self.limits[limit]
        reset = round(counted.reset)
        status = LimitStatus(limit, amount, seconds, counted.remaining, reset)
        request.scope.setdefault(COUNTED, []).append(status)
        if not counted.allowed:
            raise TooManyRequests(max(1, reset))

    def is_within(self, limit: RateLimit, who: str) -> bool:
        """Counts for `who` as well, and tells nobody: for a limit of which the caller is not to learn whose it is."""
        counted = self._count(limit, who)
        return counted is None or counted.allowed

    def _count(self, limit: RateLimit, who: str) -> Counted | None:
        """None if nothing is counted now."""
        if not self.is_on or time.monotonic() < self._paused_until:
            return None
        try:
            return self._windows.hit(self.limits[limit], limit, who)
        except Exception as error:  # Whatever the store's client raises.
            self._pause(error)
            return None

    def hit_address(self, request: Request, limit: RateLimit, address: str) -> None:
        """Counts this request for its address, or for the network that one household has."""
        self.hit(request, limit, address_group(address))

    def hit_token(self, request: Request, token_id: int) -> None:
        """Counts a request with a token of ours."""
        self.hit(request, RateLimit.TOKEN, str(token_id))

    def hit_claim(self, request: Request, address: str, account_id: int | None = None) -> None:
        """Counts a try to claim a code: for its address, and for the account where there is one already."""
        if account_id is not None:
            self.hit(request, RateLimit.CLAIM, f"account:{account_id}")
        self.hit_address(request, RateLimit.CLAIM, address)

    def hit_code(self, request: Request, account_id: int, correo: str) -> None:
        """Counts a code that is to be mailed: for the account that asks, and for who gets it from everybody."""
        self.hit(request, RateLimit.CODE, f"account:{account_id}")
        self.hit(request, RateLimit.CODE, f"correo:{correo_key(correo)}")

    def hit_invitation(self, request: Request, account_id: int, recipient: str) -> None:
        """Counts an invitation to a record: for the account that sends it, and for who gets it from everybody."""
        self.hit(request, RateLimit.INVITATION, f"account:{account_id}")
        self.hit(request, RateLimit.INVITATION_TARGET, recipient)

    def forget(self, limit: RateLimit, who: str) -> None:
        """Sets the count for `who` to zero: after a right clave, the wrong ones before it no longer count."""
        if not self.is_on or time.monotonic() < self._paused_until:
            return
        try:
            self._windows.forget(self.limits[limit], limit, who)
        except Exception as error:
            self._pause(error)

    @property
    def store(self) -> str:
        """What counts: `memory` of each process, a shared `redis`, or nothing at all: `off`."""
        return self._windows.name if self.is_on else "off"

    def is_store_up(self) -> bool:
        """Asks it. While it is down nothing is limited."""
        try:
            return not self.is_on or self._windows.is_up()
        except Exception as error:  # Whatever the store's client raises.
            log().warning("limits.store_down", error=type(error).__name__)
            return False

    def reset(self) -> None:
        self._windows.reset()

    def _pause(self, error: Exception) -> None:
        self._paused_until = time.monotonic() + STORE_PAUSE_SECONDS
        log().error("limits.store_down", error=type(error).__name__, open_for_seconds=STORE_PAUSE_SECONDS)


def limits_in(settings: LimitSettings) -> dict[RateLimit, Limit]:
    written = {
        RateLimit.LOGIN: settings.limit_login,
        RateLimit.LOGIN_ACCOUNT: settings.limit_login_account,
        RateLimit.LOGIN_UNKNOWN: settings.limit_login_unknown,
        RateLimit.REGISTRATION: settings.limit_registration,
        RateLimit.CODE: settings.limit_code,
        RateLimit.TOKEN: settings.limit_token,
        RateLimit.KEY: settings.limit_key,
        RateLimit.PLATFORM_KEY: settings.limit_platform_key,
        RateLimit.TYPED: settings.limit_typed,
        RateLimit.GLASS: settings.limit_glass,
        RateLimit.GLASS_ADDRESS: settings.limit_glass_address,
        RateLimit.CLAIM: settings.limit_claim,
        RateLimit.INVITATION: settings.limit_invitation,
        RateLimit.INVITATION_TARGET: settings.limit_invitation_target,
        RateLimit.CONTACT_TEST: settings.limit_contact_test,
        RateLimit.CONTACT_TEST_TARGET: settings.limit_contact_test_target,
        RateLimit.PICTURE: settings.limit_picture,
        RateLimit.LINK: settings.limit_link,
        RateLimit.RELAY: settings.limit_relay,
        RateLimit.CARNET: settings.limit_carnet,
        RateLimit.HEALTH_LINK: settings.limit_health_link,
        RateLimit.HEALTH_LINK_IMPORT: settings.limit_health_link_import,
        RateLimit.PLATFORM: settings.limit_platform,
        RateLimit.TYPED_ALL: settings.limit_typed_all,
    }
    return {which: limit_in(text) for which, text in written.items()}


def limit_in(text: str) -> Limit:
    return Limit(*amount_and_seconds(text))


def _windows(url: str, clock: Clock) -> "MemoryWindows | SharedWindows":
    if not url:
        return MemoryWindows(clock)
    from ficha.http.shared_limit_windows import SharedWindows  # noqa: PLC0415  Most processes share with nobody: start.

    return SharedWindows(url)
