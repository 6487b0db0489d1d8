"""A cookie for whoever just changed something: the primary answers them until every replica that is read has it.

A replica is never read that may miss a change older than the bound, and the browser keeps the cookie for longer than
that. So no process needs to know what another one wrote.
"""

from collections.abc import Callable, Iterable, Mapping
from math import ceil

from starlette.types import Scope

from ficha.core.settings import Settings

RawHeader = tuple[bytes, bytes]
NAME = b"ficha_changed="
READING = frozenset({"GET", "HEAD", "OPTIONS"})


def with_change_cookie(
    settings: Settings, more_headers: Callable[[Scope], Iterable[RawHeader]]
) -> Callable[[Scope], Iterable[RawHeader]]:
    """Of an answer: those headers, and the cookie if the request may have changed something. An answer that says that
    it failed may come after a commit too."""
    seconds = ceil(settings.replica_lag_seconds) + 1
    secure = b"; Secure" if settings.is_https else b""
    cookie = (b"set-cookie", NAME + b"1; Max-Age=%d; Path=/; HttpOnly; SameSite=Lax" % seconds + secure)

    def headers(scope: Scope) -> Iterable[RawHeader]:
        return more_headers(scope) if scope["method"] in READING else [*more_headers(scope), cookie]

    return headers


def has_just_changed(headers: Mapping[bytes, bytes]) -> bool:
    return NAME in headers.get(b"cookie", b"")
