"""A request whose body comes as a test lets it come, to the application as the server serves it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message


@dataclass
class SlowRequest:
    """`was_read` says whether anybody asked for its body."""

    path: str
    pieces: AsyncIterator[bytes]
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"
    address: str = "203.0.113.7"
    status: int = 0
    answer_headers: dict[str, str] = field(default_factory=dict)
    was_read: bool = False

    async def send_to(self, app: ASGIApp) -> int:
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": self.path,
            "raw_path": self.path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [
                (name.lower().encode(), value.encode())
                for name, value in {"Host": "testserver", **self.headers}.items()
            ],
            "client": (self.address, 50_000),
            "server": ("testserver", 80),
        }
        await app(scope, self._receive, self._send)
        return self.status

    async def _receive(self) -> Message:
        self.was_read = True
        try:
            return {"type": "http.request", "body": await anext(self.pieces), "more_body": True}
        except StopAsyncIteration:
            return {"type": "http.request", "body": b"", "more_body": False}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.answer_headers = {name.decode(): value.decode() for name, value in message["headers"]}


async def at_once(*pieces: bytes) -> AsyncIterator[bytes]:
    for piece in pieces:
        yield piece


async def a_byte_at_a_time(seconds: float = 0.01) -> AsyncIterator[bytes]:
    while True:
        await asyncio.sleep(seconds)
        yield b" "


async def until(event: asyncio.Event, first: bytes) -> AsyncIterator[bytes]:
    """The first piece, and no more before the event."""
    yield first
    await event.wait()
