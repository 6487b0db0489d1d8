"""Limits of logging in that do not shut out the person whose correo it is.

Wrong tries are counted for the correo together with the address they come from, so that somebody else's do not count
for her. A guesser with many addresses is slowed down by the count of all unknown devices together; a device that has
logged in before shows a cookie and has a count of its own, and a link from a mail sets the counts to zero.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.login import check_own_clave
from ficha.accounts.passkeys import Challenges, spend_passkey
from ficha.accounts.second_factor import spend_second_factor
from ficha.accounts.statements import has_second_factor
from ficha.accounts.tokens import Caller
from ficha.core.addresses import address_group
from ficha.core.ids import random_text
from ficha.core.secrets import Secrets
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.http.limits import Limiter, RateLimit
from ficha.parts import Parts

DEVICE_COOKIE = "ficha_device"
DEVICE_SECONDS = 365 * 24 * 3600
NAME_LENGTH = 22


@dataclass(frozen=True)
class LoginLimits:
    """Of one correo, for one request. The correo itself is kept nowhere: the counts go by its hash."""

    request: Request
    parts: Parts
    limiter: Limiter
    correo: str
    address: str

    def count(self) -> None:
        """Raises TooManyRequests."""
        device = self._device()
        if device is not None:
            self.limiter.hit(self.request, RateLimit.LOGIN_ACCOUNT, f"{self._who}:{device}")
            return
        self.limiter.hit(self.request, RateLimit.LOGIN_ACCOUNT, self._here)
        self.limiter.hit(self.request, RateLimit.LOGIN_UNKNOWN, self._who)

    def forget(self) -> None:
        """After the right clave, the wrong ones before it no longer count."""
        self.limiter.forget(RateLimit.LOGIN_ACCOUNT, f"{self._who}:{self._device() or ''}")
        self.limiter.forget(RateLimit.LOGIN_ACCOUNT, self._here)
        self.limiter.forget(RateLimit.LOGIN_UNKNOWN, self._who)

    def remember_device(self, response: Response) -> None:
        """So that this device gets in while others guess. The cookie opens nothing: it only has a count of its own."""
        name = self._device() or random_text(NAME_LENGTH)
        response.set_cookie(
            DEVICE_COOKIE,
            f"{name}.{self._signature(name)}",
            max_age=DEVICE_SECONDS,
            path="/",
            secure=self.parts.settings.is_https,
            httponly=True,
            samesite="lax",
        )

    @property
    def _who(self) -> str:
        return hashlib.sha256(correo_key(self.correo).encode("utf-8", "replace")).hexdigest()

    @property
    def _here(self) -> str:
        return f"{self._who}@{address_group(self.address)}"

    def _device(self) -> str | None:
        """The name of the device, if it has logged in with this correo before."""
        name, _, signature = self.request.cookies.get(DEVICE_COOKIE, "").partition(".")
        given = signature.encode("utf-8", "replace")
        return name if hmac.compare_digest(given, self._signature(name).encode()) else None

    def _signature(self, name: str) -> str:
        return self.parts.secrets.keyed_hash("devices", f"{self._who}:{name}").hex()


def check_second_factor(
    request: Request, limiter: Limiter, secrets: Secrets, tx: Transaction, account_id: int, typed: str, now: datetime
) -> None:
    """After the right clave, for an account that has a second factor. Guessing it is limited per account, wherever it
    comes from: whoever gets here has the clave. Raises TooManyRequests or SecondFactorWrong."""
    if not has_second_factor(tx, account_id):
        return
    who = f"second:{account_id}"
    limiter.hit(request, RateLimit.LOGIN_ACCOUNT, who)
    spend_second_factor(tx, secrets, account_id, typed, now)
    limiter.forget(RateLimit.LOGIN_ACCOUNT, who)


def check_second_passkey(
    request: Request,
    limiter: Limiter,
    challenges: Challenges,
    tx: Transaction,
    account_id: int,
    answer: str,
    now: datetime,
) -> None:
    """The same with a passkey of that account. Raises TooManyRequests or PasskeyRefused."""
    who = f"second:{account_id}"
    limiter.hit(request, RateLimit.LOGIN_ACCOUNT, who)
    spend_passkey(tx, challenges, answer, now, account_id)
    limiter.forget(RateLimit.LOGIN_ACCOUNT, who)


def confirm_clave(request: Request, limiter: Limiter, parts: Parts, caller: Caller, clave: str) -> None:
    """Before a step that cannot be undone. Limited like login: who has stolen a token must not guess the clave with it.
    Raises TooManyRequests or WrongOwnClave."""
    who = f"account:{caller.account_id}"
    limiter.hit(request, RateLimit.LOGIN_ACCOUNT, who)
    check_own_clave(parts.database, caller.account_id, clave)
    limiter.forget(RateLimit.LOGIN_ACCOUNT, who)
