"""Fetches a file from an address that somebody else chose: once, from the internet, within bounds; and the look at such
an address before anything is sent there."""

import asyncio
import socket
from collections.abc import Mapping
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ficha.channels.chatwoot.address import PORTS
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


class PublicAnswer(NamedTuple):
    """The body of what was found, or of what says what is missing (401); nobody reads the others'."""

    status: int
    body: bytes
    retry_after: str


def fetch_file(
    url: str, *, most_bytes: int, seconds: float, allows_http: bool = False, allows_private: bool = False
) -> bytes:
    """Raises NotPublic, Redirected, FileTooLarge, Refused or RetryLater."""
    headers = {"Accept": "image/*, application/json"}

    async def fetched() -> bytes:
        # Of the whole: a host that sends a byte now and then keeps nobody longer.
        async with asyncio.timeout(seconds):
            answer = await ask_public(
                url, headers, most_bytes=most_bytes, allows_http=allows_http, allows_private=allows_private
            )
        _check_status(answer.status)
        return answer.body

    import httpx  # noqa: PLC0415  A tenth of a second of the start, and eight megabytes.

    try:
        return asyncio.run(fetched())
    except (httpx.HTTPError, OSError, TimeoutError) as error:
        raise RetryLater(f"a file: {type(error).__name__}") from None
    except (httpx.InvalidURL, ValueError) as error:
        raise Refused("a file: no address") from error


async def ask_public(
    url: str,
    headers: Mapping[str, str],
    *,
    most_bytes: int,
    sent: bytes | None = None,
    allows_http: bool = False,
    allows_private: bool = False,
) -> PublicAnswer:
    """One request: a POST if there is something to send. How long all of it may take is the caller's to bound. Raises
    NotPublic, Redirected, FileTooLarge, OSError, ValueError or httpx's errors, of which InvalidURL is no HTTPError."""
    import httpx  # noqa: PLC0415

    from ficha.channels.http_clients import certificates  # noqa: PLC0415

    target = await checked_target(url, allows_http=allows_http, allows_private=allows_private)
    said = {**headers, "Host": target.host, "Accept-Encoding": "identity"}
    method = "GET" if sent is None else "POST"
    async with (
        httpx.AsyncClient(verify=certificates(), trust_env=False, follow_redirects=False) as client,
        client.stream(
            method, target.url, content=sent, headers=said, extensions={"sni_hostname": target.tls_name}
        ) as answer,
    ):
        if answer.is_redirect:
            raise Redirected
        content = bytearray()
        if answer.status_code in (200, 401):
            async for piece in answer.aiter_raw():
                content += piece
                if len(content) > most_bytes:
                    raise FileTooLarge
        return PublicAnswer(answer.status_code, bytes(content), answer.headers.get("retry-after", ""))


class CheckedTarget(NamedTuple):
    """Where to connect, by number, and the names that the host goes by there."""

    url: "httpx.URL"
    host: str
    tls_name: str


async def checked_target(url: str, *, allows_http: bool, allows_private: bool) -> CheckedTarget:
    """Raises NotPublic if any address of the host is private, or OSError if it has none. The connection is made to the
    address that was looked at, not to what the name says a moment later."""
    import httpx  # noqa: PLC0415

    parts = urlsplit(url)
    if parts.scheme not in PORTS or not parts.hostname or (parts.scheme == "http" and not allows_http):
        raise NotPublic
    port = parts.port or PORTS[parts.scheme]
    addresses = await addresses_apart(parts.hostname, port)
    if not addresses or not (allows_private or all(map(is_public, addresses))):
        raise NotPublic
    return CheckedTarget(httpx.URL(url).copy_with(host=addresses[0], port=port), parts.netloc, parts.hostname)


def _check_status(status: int) -> None:
    if status == 429 or status >= 500:
        raise RetryLater(f"a file: {status}")
    if status != 200:
        raise Refused(f"a file: {status}")


async def addresses_apart(host: str, port: int) -> list[str]:
    """In a thread of its own: the few that the loop has would all wait for one slow name server, and its end for
    them."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str]] = loop.create_future()

    def tell(addresses: list[str] | None) -> None:
        if found.done():
            return
        if addresses is None:
            found.set_exception(OSError("no address"))
        else:
            found.set_result(addresses)

    def resolve() -> None:
        addresses: list[str] | None = None
        with suppress(OSError, ValueError):  # A name that cannot be written for DNS is a ValueError.
            entries: list[Any] = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = [str(entry[4][0]) for entry in entries]
        with suppress(RuntimeError):  # Nobody waits any more.
            loop.call_soon_threadsafe(tell, addresses)

    Thread(target=resolve, name="resolver", daemon=True).start()
    return await found
