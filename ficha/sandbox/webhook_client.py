"""Calls to webhooks on this machine: h11 over asyncio streams, because httpx takes several times as long, and a sandbox
makes three calls for each message that it is sent."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

import h11

from ficha.sandbox.loopback import require_loopback


class WebhookClient:
    async def call(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"", *, seconds: float
    ) -> tuple[int, bytes]:
        """Status and body. Raises ConnectionError or TimeoutError when there is no whole answer within `seconds`."""
        require_loopback(url)
        try:
            async with asyncio.timeout(seconds):
                return await _call(method, url, headers, body)
        except (ConnectionError, TimeoutError):
            raise
        except (OSError, h11.ProtocolError) as fault:
            raise ConnectionError(str(fault) or type(fault).__name__) from fault

    async def close(self) -> None:
        """Each call closes its own connection."""


async def _call(method: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    # A connection kept open could lead to a receiver that has been restarted since.
    sent = {"Host": parts.netloc, **headers, "Connection": "close"}
    if body:
        sent["Content-Length"] = str(len(body))
    http = h11.Connection(h11.CLIENT)
    request = h11.Request(method=method, target=target, headers=list(sent.items()))
    written = (http.send(part) or b"" for part in (request, h11.Data(body), h11.EndOfMessage()))
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    try:
        writer.write(b"".join(written))
        status, content = 0, bytearray()
        while not isinstance(event := http.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                http.receive_data(await reader.read(65_536))
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                content += event.data
        return status, bytes(content)
    finally:
        writer.close()
