"""The floor: a bare ASGI handler on the same server, with the same SQL and an answer of the same size."""

import json
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from bench.entries import ENTRIES
from bench.entries.entry import Entry, FloorAnswer
from bench.store import Store, store_at

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

NOTHING = "/nothing"

# What the service sends with every answer, so that both write as many bytes.
HEADERS = [
    (b"content-type", b"application/json"),
    (b"x-request-id", b"0123456789abcdef"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(self)"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
]

META = ('{"meta":{"timestamp":"%b","api_version":"v2.0.0","status":200,"copyright":"© Ficha"%b},"data":%b}').encode()


class Floor:
    def __init__(self, store: Store) -> None:
        self._store = store
        self._entries = {(entry.method, entry.path): entry for entry in ENTRIES.values()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        method, path = scope["method"], scope["path"]
        entry = self._entries.get((method, path)) or self._entries.get((method, _template(path)))
        status, answer = (200, FloorAnswer(b"{}", ())) if entry is None else await self._answer(entry, scope, receive)
        headers = [*HEADERS, *answer.headers, (b"content-length", str(len(answer.data)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.data})

    async def _answer(self, entry: Entry, scope: Scope, receive: Receive) -> tuple[int, FloorAnswer]:
        body = b"" if scope["method"] == "GET" else await _whole_body(receive)
        data = await entry.floor(self._store, scope, body)
        data, headers = data if isinstance(data, FloorAnswer) else (data, ())
        if entry.is_page and isinstance(data, bytes):
            return entry.status, FloorAnswer(data, headers)
        return entry.status, FloorAnswer(_with_envelope(entry, data), headers)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        await self._store.open()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})


def _with_envelope(entry: Entry, data: dict[str, Any] | bytes) -> bytes:
    if isinstance(data, bytes):
        return META % (datetime.now(UTC).isoformat().encode(), entry.page, data)
    meta = {
        "timestamp": datetime.now(UTC).isoformat(),
        "api_version": "v2.0.0",
        "status": entry.status,
        "copyright": "© Ficha",
    }
    return json.dumps({"meta": meta, "data": data}, ensure_ascii=False, separators=(",", ":")).encode()


def _template(path: str) -> str:
    """`/v2/fmd/{code}/…`, `/e/{code}/{tag}`, `/app/{code}/…` carry a code, `/shl/{secret}` a secret."""
    if path.startswith("/e/"):
        return "/e/{code}/{tag}"
    if path.startswith("/shl/"):
        return "/shl/{secret}"
    if path.startswith("/app/"):
        return f"/app/{{code}}{path[11:]}"
    return f"/v2/fmd/{{code}}{path[14:]}" if path.startswith("/v2/fmd/") else path


async def _whole_body(receive: Receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        piece: bytes = message.get("body", b"")
        body += piece
        if not message.get("more_body", False):
            return body


def from_environment() -> Floor:
    return Floor(store_at(os.environ["FICHA_DATABASE_URL"]))


def serve(target: str, port: int) -> None:
    """The server with the same settings as in ficha/cli/serve.py, which must be changed together."""
    from granian.constants import Interfaces, Loops
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    Server(
        target,
        factory=True,
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGI,
        loop=Loops.auto,
        workers=int(os.environ["FICHA_WORKERS"]),
        websockets=False,
        http1_settings=HTTP1Settings(header_read_timeout=10_000),
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    serve("bench.floor:from_environment", int(os.environ["FICHA_PORT"]))
