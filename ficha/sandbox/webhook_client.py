"""The other direction: calling the webhook, with nothing but h11."""

import asyncio
import contextlib
from collections.abc import Mapping
from urllib.parse import urlsplit

import h11

from ficha.sandbox.whatsapp.config import require_loopback


async def call(
    method: str, url: str, headers: Mapping[str, str], body: bytes = b"", *, seconds: float
) -> tuple[int, bytes]:
    """Status and body. Raises OSError or TimeoutError when there is no answer."""
    require_loopback(url)
    async with asyncio.timeout(seconds):
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
        try:
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            return await _exchange(reader, writer, method, target, {"Host": parts.netloc, **headers}, body)
        except h11.ProtocolError as fault:
            raise ConnectionError(str(fault)) from fault
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _exchange(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    method: str,
    target: str,
    headers: Mapping[str, str],
    body: bytes,
) -> tuple[int, bytes]:
    http = h11.Connection(h11.CLIENT)
    sent = {**headers, "Content-Length": str(len(body)), "Connection": "close"}
    for event in (h11.Request(method=method, target=target, headers=list(sent.items())), h11.Data(data=body)):
        writer.write(http.send(event) or b"")
    writer.write(http.send(h11.EndOfMessage()) or b"")
    await writer.drain()
    status, answer = 0, bytearray()
    while True:
        event_in = http.next_event()
        if event_in is h11.NEED_DATA:
            http.receive_data(await reader.read(65536))
        elif isinstance(event_in, h11.Response):
            status = event_in.status_code
        elif isinstance(event_in, h11.Data):
            answer += event_in.data
        elif isinstance(event_in, h11.EndOfMessage):
            return status, bytes(answer)
        elif isinstance(event_in, h11.ConnectionClosed):
            raise ConnectionError("The line was closed before the answer ended.")
