"""The messaging sandbox's control API, over HTTP and on this machine only."""

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

from ficha.core.settings import Settings
from ficha.sandbox.loopback import is_loopback

if TYPE_CHECKING:
    import httpx

SECONDS = 2.0


class NoSandbox(Exception):
    """Nobody answers there, or somebody who is not the sandbox."""


class Declined(Exception):
    """The sandbox answered that it will not do that; the text is its own."""


def is_ours(settings: Settings) -> bool:
    """Whether messages stay on this machine. The platform itself has no such API, and is never asked."""
    return is_loopback(settings.whatsapp_url)


def call(settings: Settings, method: str, path: str, body: Any = None) -> Any:
    """What it answers. Raises NoSandbox or Declined."""
    import httpx  # noqa: PLC0415  A tenth of a second that only this page needs.

    if not is_ours(settings):
        raise NoSandbox
    try:
        answer = _client().request(method, f"{settings.whatsapp_url}/_sandbox/{path}", json=body)
        found = answer.json()
    except (httpx.HTTPError, ValueError):
        raise NoSandbox from None
    if answer.is_success:
        return found
    if not isinstance(found, dict) or not isinstance(found.get("error"), str):
        raise NoSandbox
    raise Declined(found["error"])


@cache
def _client() -> "httpx.Client":
    """A connection for each call: here it costs nothing, and a sandbox that was started again is found at once."""
    import httpx  # noqa: PLC0415

    # The page asks every few seconds; httpx would note each time.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return httpx.Client(timeout=SECONDS, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
