"""Clients of an application. The requests of all of them run in one event loop."""

from collections.abc import MutableMapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from threading import Thread
from typing import Any
from urllib.parse import unquote

import anyio
import httpx2
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient

Message = MutableMapping[str, Any]


class AppClient(TestClient):
    """A test client that goes to the event loop once for each request. Starlette's own goes there eight times, so that
    an endless body could be read piece by piece, which takes longer than most answers. The lifespan does not run."""

    def __init__(self, app: Any, portal: BlockingPortal) -> None:
        httpx2.Client.__init__(
            self,
            base_url="http://testserver",
            headers={"user-agent": "testclient"},
            transport=InOneCall(app, portal),
            follow_redirects=True,
        )
        self.app = app
        self.portal = portal


class InOneCall(httpx2.BaseTransport):
    """Runs a request in the loop to its end, then hands over the whole response."""

    def __init__(self, app: Any, portal: BlockingPortal) -> None:
        self._app, self._portal = app, portal

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        return self._portal.call(self._respond, request)

    async def _respond(self, request: httpx2.Request) -> httpx2.Response:
        bodies = [request.content]
        is_complete = anyio.Event()
        # What a server answers for an application that fails before its response begins.
        head: Message = {"status": 500, "headers": []}
        content: list[bytes] = []

        async def receive() -> Message:
            if bodies:
                return {"type": "http.request", "body": bodies.pop()}
            await is_complete.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                head.update(message)
            elif message["type"] == "http.response.body":
                content.append(bytes(message.get("body", b"")))
                if not message.get("more_body", False):
                    is_complete.set()

        with suppress(Exception):  # The answer says that it failed.
            await self._app(_scope(request), receive, send)
        stream = httpx2.ByteStream(b"" if request.method == "HEAD" else b"".join(content))
        return httpx2.Response(head["status"], headers=head["headers"], stream=stream, request=request)


def _scope(request: httpx2.Request) -> dict[str, Any]:
    url = request.url
    return {
        "type": "http",
        "http_version": "1.1",
        "method": request.method,
        "path": unquote(url.path),
        "raw_path": url.raw_path.partition(b"?")[0],
        "root_path": "",
        "scheme": url.scheme,
        "query_string": url.query,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("testclient", 50000),
        "server": (url.host, url.port or {"http": 80, "https": 443}[url.scheme]),
        "state": {},
    }


def client_of(app: Any) -> TestClient:
    """By itself, a client starts a loop, its thread and the threads of its workers for each request, and ends them:
    two milliseconds of work or more."""
    return AppClient(app, _loop())


@cache
def _loop() -> BlockingPortal:
    """It runs as long as this process, whose end waits for none of its threads."""
    started: Future[BlockingPortal] = Future()

    async def run() -> None:
        async with BlockingPortal() as portal:
            started.set_result(portal)
            await portal.sleep_until_stopped()

    Thread(target=anyio.run, args=(run,), name="requests", daemon=True).start()
    return started.result()
