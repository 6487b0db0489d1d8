"""The lane: asks its handlers whether a request is theirs, sends what they answer, and hands on all else.

Handlers belong to their areas (api/fmd, api/messaging, web/sticker). The frame around the lane, as around everything,
checks headers and sizes, adds headers, counts, logs and answers errors.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from ficha.asgi.bodies import headers_of
from ficha.http.client_address import TrustedProxies, address_of

RawHeaders = list[tuple[bytes, bytes]]
JSON = b"application/json"


class LaneRoute(NamedTuple):
    """How logs and metrics name what a handler answers."""

    path: str
    is_quiet: bool = True


class LaneResponse(NamedTuple):
    """An answer ready to leave. `body` is None where there is nothing to describe."""

    status: int
    body: bytes | None
    headers: RawHeaders
    kind: bytes = JSON


class LaneRequest(NamedTuple):
    scope: Scope
    receive: Receive
    headers: Mapping[bytes, bytes]


# None leaves the request to the application behind.
Answering = Callable[[LaneRequest], Coroutine[Any, Any, LaneResponse | None]]


class LaneHandler(Protocol):
    def find(self, method: str, path: str) -> tuple[LaneRoute, Answering] | None:
        """Who answers this, and under which name; None for what is not this handler's."""

    async def open(self) -> None:
        """When the server starts: connections are kept while it runs."""

    async def close(self) -> None: ...


class FastLane:
    def __init__(self, app: ASGIApp, handlers: Sequence[LaneHandler]) -> None:
        self._app, self._handlers = app, handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._response(scope, receive) if scope["type"] == "http" else None
        if response is None:
            await self._app(scope, receive, send)
            return
        status, body, headers, kind = response
        if body is None:
            body = b""
        else:
            headers = [*headers, (b"content-type", kind), (b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def _response(self, scope: Scope, receive: Receive) -> LaneResponse | None:
        method, path = scope["method"], scope["path"]
        for handler in self._handlers:
            found = handler.find(method, path)
            if found is not None:
                scope["route"], answer = found
                return await answer(LaneRequest(scope, receive, headers_of(scope)))
        return None


def origin_of(scope: Scope, trusted: TrustedProxies) -> str:
    """The caller's address, for the log. Most servers trust no proxy, and then it is simply the peer's."""
    if trusted:
        return address_of(HTTPConnection(scope), trusted)
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else ""
