"""The client of the sandbox's control operations, for a sandbox on this machine."""

import logging
from functools import cache
from typing import TYPE_CHECKING, Any

from ficha.core.settings import Settings
from ficha.sandbox.loopback import is_loopback

if TYPE_CHECKING:
    import httpx

TIMEOUT_SECONDS = 2.0


class SandboxUnreachable(Exception):
    """Nothing answers at the sandbox's address, or something that is not the sandbox."""


class SandboxRefused(Exception):
    """The sandbox refused an operation; the text is its own."""


# What is raised on reading the sandbox's state: something else may listen there.
UNREADABLE = (SandboxUnreachable, SandboxRefused, KeyError, TypeError)


def is_on_this_machine(settings: Settings) -> bool:
    """Whether messages go to a sandbox. The real platform has no control operations, and is never asked."""
    return is_loopback(settings.whatsapp_url)


def call_sandbox(settings: Settings, method: str, path: str, body: Any = None) -> Any:
    """The JSON of the response; raises SandboxUnreachable or SandboxRefused."""
    import httpx  # noqa: PLC0415  A tenth of a second of the start, which only this page needs.

    if not is_on_this_machine(settings):
        raise SandboxUnreachable
    try:
        response = _client().request(method, f"{settings.whatsapp_url}/_sandbox/{path}", json=body)
        found = response.json()
    except (httpx.HTTPError, ValueError):
        raise SandboxUnreachable from None
    if response.is_success:
        return found
    if not isinstance(found, dict) or not isinstance(found.get("error"), str):
        raise SandboxUnreachable
    raise SandboxRefused(found["error"])


def state_version(settings: Settings, path: str, seen: str) -> str:
    """The version of a state of the sandbox. When it is still `seen`, the sandbox sends nothing else."""
    since = f"?since={seen}" if seen.isascii() and seen.isdigit() else ""
    try:
        return str(call_sandbox(settings, "GET", path + since)["version"])
    except UNREADABLE:
        return "unreachable"


@cache
def _client() -> "httpx.Client":
    """It opens a connection for each call, so that a sandbox that was restarted is found at once."""
    import httpx  # noqa: PLC0415  As above.

    # The page asks every few seconds, and httpx would log every request.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    return httpx.Client(timeout=TIMEOUT_SECONDS, trust_env=False, limits=httpx.Limits(max_keepalive_connections=0))
