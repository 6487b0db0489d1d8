"""The platform's one address, and a request to it with its answer. Nothing that a caller sends can change the host, and
a name that leads to a private address is refused, because a name belongs to whoever runs its DNS."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

from ficha.channels.errors import NotSent, OutcomeUnknown
from ficha.core.addresses import is_public

RESOLVED_SECONDS = 30.0
# All addresses that a name has.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
PORTS = {"http": 80, "https": 443}


class PrivateAddress(NotSent):
    """The platform's name leads to a private address."""


@dataclass(frozen=True)
class Target:
    """Where a request goes: the URL to connect to, the headers and the TLS name that belong to it."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    tls_name: str | None = None


class PlatformAddress:
    """`allows_private`: whether the name may lead to a private address. An address written in numbers, or `localhost`,
    was chosen by whoever wrote the setting, and is used as it is."""

    def __init__(self, base_url: str, *, allows_private: bool = False, resolve: Resolve | None = None) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in PORTS or not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
            raise ValueError("FICHA_CHATWOOT_BASE_URL must look like https://app.chatwoot.com")
        self._scheme, self._host = parts.scheme, parts.hostname
        self._port = parts.port or PORTS[parts.scheme]
        self._netloc, self._path = parts.netloc, parts.path.rstrip("/")
        self._is_used_as_it_is = allows_private or self._host == "localhost" or is_number(self._host)
        self._resolve = resolve or addresses_of
        self._resolved: tuple[float, str] | None = None

    @property
    def is_https(self) -> bool:
        return self._scheme == "https"

    async def target(self, segments: Sequence[str], query: str = "") -> Target:
        """Raises PrivateAddress or NotSent."""
        path = self._path + path_of(segments) + (f"?{query}" if query else "")
        if self._is_used_as_it_is:
            return Target(f"{self._scheme}://{self._netloc}{path}")
        found = await self._public_address()
        host = f"[{found}]" if ":" in found else found
        return Target(f"{self._scheme}://{host}:{self._port}{path}", {"Host": self._netloc}, self._host)

    def path_at(self, url: str) -> tuple[list[str], str] | None:
        """The segments and the query of an address at the platform; None if it is anywhere else."""
        try:
            parts = urlsplit(url)
            port = parts.port or PORTS.get(parts.scheme)
        except ValueError:
            return None
        is_here = (parts.scheme, parts.hostname, port) == (self._scheme, self._host, self._port)
        if not is_here or "@" in parts.netloc or not parts.path.startswith(f"{self._path}/"):
            return None
        segments = [unquote(each) for each in parts.path.removeprefix(self._path).split("/") if each]
        return None if {".", ".."} & set(segments) else (segments, parts.query)

    def url(self, segments: Sequence[str]) -> str:
        return f"{self._scheme}://{self._netloc}{self._path}{path_of(segments)}"

    async def _public_address(self) -> str:
        """The connection is made to the address that was looked at, not to what the name says a moment later."""
        if self._resolved is not None and self._resolved[0] > time.monotonic():
            return self._resolved[1]
        try:
            addresses = await self._resolve(self._host, self._port)
        except OSError as error:
            raise NotSent(f"chatwoot: {type(error).__name__}") from error
        if not addresses or not all(map(is_public, addresses)):
            raise PrivateAddress("chatwoot: its name leads to a private address")
        self._resolved = time.monotonic() + RESOLVED_SECONDS, addresses[0]
        return addresses[0]


async def addresses_of(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


def path_of(segments: Sequence[str]) -> str:
    """Each segment is encoded whole, so that none can become two or none."""
    if any(segment in ("", ".", "..") for segment in segments):
        raise ValueError("a segment that is no name")
    return "".join(f"/{quote(segment, safe='')}" for segment in segments)


def is_number(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


APPLICATION = ("api", "v1")
PUBLIC = ("public", "api", "v1")


@dataclass(frozen=True)
class PlatformRequest:
    """`segments` are the parts of the path, not encoded. `body` as an iterator is passed on piece by piece, and then
    `length` is its size, if that is known."""

    method: str
    segments: Sequence[str]
    token: str | None
    query: str = ""
    body: bytes | AsyncIterator[bytes] | None = None
    content_type: str | None = None
    length: int | None = None

    @property
    def is_stream(self) -> bool:
        return self.body is not None and not isinstance(self.body, bytes)


class AnswerTooLong(OutcomeUnknown):
    """There was more of it than we read: of what one caller asked for."""


class PlatformAnswer(NamedTuple):
    status: int
    content_type: str
    body: bytes
    retry_after: str | None = None
    location: str | None = None

    @property
    def is_of_the_platform(self) -> bool:
        """Its answers are JSON, except "Retry later". All else is somebody's in between."""
        if self.status == 429:
            return True
        return self.content_type.startswith("application/json") and self.status <= 500

    @property
    def is_refused_in_between(self) -> bool:
        """A server before the platform refused this request, such as a file too large for it. That says nothing about
        the platform, and the next request may well be answered."""
        return not self.is_of_the_platform and 400 <= self.status < 500
