"""Fetches a file from an address that somebody else chose: once, from the internet, within bounds; and the look at such
an address before anything is sent there."""

import asyncio
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from ficha.channels.chatwoot.address import PORTS, Resolve, addresses_of
from ficha.channels.errors import Refused, RetryLater
from ficha.core.addresses import is_public

if TYPE_CHECKING:
    import httpx


class NotPublic(Refused):
    """The host has a private address, or the address is without TLS where that is not allowed."""


class Redirected(Refused):
    """It sends us elsewhere. That host was not chosen, and would have to be looked at like the first."""


class FileTooLarge(Refused):
    """More bytes than were allowed. The rest was not read."""


def fetch_file(
    url: str, *, most_bytes: int, seconds: float, allows_http: bool = False, allows_private: bool = False
) -> bytes:
    """Raises NotPublic, Redirected, FileTooLarge, Refused or RetryLater."""

    async def fetched() -> bytes:
        # Of the whole: a host that sends a byte now and then keeps nobody longer.
        async with asyncio.timeout(seconds):
            return await _fetch(url, most_bytes, allows_http, allows_private)

    import httpx  # noqa: PLC0415  A tenth of a second of the start, and eight megabytes.

    try:
        return asyncio.run(fetched())
    except (httpx.HTTPError, OSError, TimeoutError) as error:
        raise RetryLater(f"a file: {type(error).__name__}") from None
    except httpx.InvalidURL as error:
        raise Refused("a file: no address") from error


async def _fetch(url: str, most_bytes: int, allows_http: bool, allows_private: bool) -> bytes:
    import httpx  # noqa: PLC0415

    from ficha.channels.http_clients import certificates  # noqa: PLC0415

    target = await checked_target(url, allows_http=allows_http, allows_private=allows_private)
    headers = {"Host": target.host, "Accept": "image/*", "Accept-Encoding": "identity"}
    async with (
        httpx.AsyncClient(verify=certificates(), trust_env=False, follow_redirects=False) as client,
        client.stream("GET", target.url, headers=headers, extensions={"sni_hostname": target.tls_name}) as answer,
    ):
        _check_status(answer)
        content = bytearray()
        async for piece in answer.aiter_raw():
            content += piece
            if len(content) > most_bytes:
                raise FileTooLarge
        return bytes(content)


class CheckedTarget(NamedTuple):
    """Where to connect, by number, and the names that the host goes by there."""

    url: "httpx.URL"
    host: str
    tls_name: str


async def checked_target(
    url: str, *, allows_http: bool, allows_private: bool, resolve: Resolve = addresses_of
) -> CheckedTarget:
    """Raises NotPublic if any address of the host is private, or OSError if it has none. The connection is made to the
    address that was looked at, not to what the name says a moment later."""
    import httpx  # noqa: PLC0415

    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname or (parts.scheme == "http" and not allows_http):
        raise NotPublic
    port = parts.port or PORTS[parts.scheme]
    addresses = await resolve(parts.hostname, port)
    if not addresses or not (allows_private or all(map(is_public, addresses))):
        raise NotPublic
    return CheckedTarget(httpx.URL(url).copy_with(host=addresses[0], port=port), parts.netloc, parts.hostname)


def _check_status(answer: "httpx.Response") -> None:
    if answer.is_redirect:
        raise Redirected
    if answer.status_code == 429 or answer.status_code >= 500:
        raise RetryLater(f"a file: {answer.status_code}")
    if answer.status_code != 200:
        raise Refused(f"a file: {answer.status_code}")
