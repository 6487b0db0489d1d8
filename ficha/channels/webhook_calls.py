"""Tells an event to an address that somebody else chose: to a public host, without following anywhere, within seconds.
How it ended is a status or a fault and a duration; what the host says besides is never read."""

import asyncio
import ssl
import time
from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from typing import NamedTuple

from ficha.channels.errors import NotSent, Refused, TooSlow
from ficha.channels.public_files import NotPublic, checked_target
from ficha.channels.send_watch import note_send


class CallFault(StrEnum):
    """Why there is no status."""

    TIMEOUT = "timeout"
    NO_CONNECTION = "no_connection"
    PRIVATE_ADDRESS = "private_address"


class CallEnd(NamedTuple):
    status: int | None
    fault: CallFault | None
    milliseconds: int

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def error(self) -> Exception | None:
        """What it would have raised."""
        if self.fault is not None:
            return TooSlow() if self.fault is CallFault.TIMEOUT else NotSent()
        return None if self.is_accepted else Refused()


async def post_event(
    url: str,
    body: bytes,
    headers: Mapping[str, str],
    *,
    seconds: float,
    allows_http: bool = False,
    allows_private: bool = False,
    trusted: ssl.SSLContext | None = None,
) -> CallEnd:
    """`trusted`: the authorities whose certificates count, if not the usual ones."""
    import httpx  # noqa: PLC0415  A tenth of a second of the start, and eight megabytes.

    from ficha.channels.http_clients import certificates  # noqa: PLC0415

    async def posted() -> int:
        target = await checked_target(url, allows_http=allows_http, allows_private=allows_private)
        said = {**headers, "Host": target.host, "Content-Type": "application/json", "Accept-Encoding": "identity"}
        async with (
            httpx.AsyncClient(
                verify=trusted or certificates(), trust_env=False, follow_redirects=False, timeout=seconds
            ) as client,
            client.stream(
                "POST", target.url, content=body, headers=said, extensions={"sni_hostname": target.tls_name}
            ) as answer,
        ):
            return answer.status_code  # The connection is closed with all that was not read.

    status, fault, started = None, None, time.monotonic()
    try:
        # Of the whole: a host that sends a byte now and then keeps nobody longer.
        async with asyncio.timeout(seconds):
            status = await posted()
    except (TimeoutError, httpx.TimeoutException):
        fault = CallFault.TIMEOUT
    except NotPublic:
        fault = CallFault.PRIVATE_ADDRESS
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError):
        fault = CallFault.NO_CONNECTION
    end = CallEnd(status, fault, round((time.monotonic() - started) * 1000))
    note_send("webhook", started, end.error)
    return end


def refuse_private(url: str, *, seconds: float, allows_http: bool = False, allows_private: bool = False) -> None:
    """Raises NotPublic if the address leads to a private host now. A name that nobody knows yet passes: it is looked at
    again at each call."""

    async def look() -> None:
        async with asyncio.timeout(seconds):
            await checked_target(url, allows_http=allows_http, allows_private=allows_private)

    with suppress(OSError, TimeoutError):
        asyncio.run(look())
