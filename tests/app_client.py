"""Clients of an application. The requests of all of them run in one event loop."""

import asyncio
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
BASE_URL = "http://testserver"
OPERATIONS = ("/v1/", "/v2/")
PLAIN = frozenset({"content", "json"})


class AppClient(TestClient):
    """A test client that goes to the event loop once for each request. Starlette's own goes there eight times, so that
    an endless body could be read piece by piece, which takes longer than most answers. The lifespan does not run."""

    def __init__(self, app: Any, portal: BlockingPortal) -> None:
        self._in_one_call = InOneCall(app, portal)
        httpx2.Client.__init__(
            self,
            base_url=BASE_URL,
            headers={"user-agent": "testclient"},
            transport=self._in_one_call,
            follow_redirects=True,
        )
        self.app = app
        self.portal = portal
        self._own_headers = dict(self.headers)

    def request(self, method: str, url: Any, **more: Any) -> httpx2.Response:
        """What a client does for cookies, forms and redirects takes as long as many an answer, and most requests have
        none of them."""
        given = {
            name: value for name, value in more.items() if value is not None and value is not httpx2.USE_CLIENT_DEFAULT
        }
        headers = given.pop("headers", {})
        is_plain = given.keys() <= PLAIN and isinstance(headers, dict) and str(url).startswith(OPERATIONS)
        if not is_plain or self.cookies:
            return httpx2.Client.request(self, method, url, **more)
        headers = self._own_headers | {name.lower(): value for name, value in headers.items()}
        request = httpx2.Request(method, f"{BASE_URL}{url}", headers=headers, **given)
        response = self._in_one_call.handle_request(request)
        response.read()
        if "set-cookie" in response.headers:
            self.cookies.extract_cookies(response)
        assert not response.has_redirect_location  # Only pages send somebody elsewhere.
        return response


class InOneCall(httpx2.BaseTransport):
    """Runs a request in the loop to its end, then hands over the whole response."""

    def __init__(self, app: Any, portal: BlockingPortal) -> None:
        self._app = app
        self._loop = _loop_of(portal)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.read()
        # Half of what the portal's own way takes.
        return asyncio.run_coroutine_threadsafe(self._respond(request), self._loop).result()

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


class Lifespan:
    """The start and the stop of an application, in the loop of all requests: a loop of its own takes longer."""

    def __init__(self, app: Any) -> None:
        self.portal = _loop()
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._said: asyncio.Queue[Message] = asyncio.Queue()
        self._running = self.portal.start_task_soon(
            app, {"type": "lifespan", "state": {}}, self._messages.get, self._said.put
        )
        self._tell("startup")

    def stop(self) -> None:
        self._tell("shutdown")
        self._running.result()

    def _tell(self, what: str) -> None:
        said = self.portal.call(self._answer_to, f"lifespan.{what}")
        assert said["type"] == f"lifespan.{what}.complete", said

    async def _answer_to(self, kind: str) -> Message:
        await self._messages.put({"type": kind})
        return await self._said.get()


@cache
def _loop_of(portal: BlockingPortal) -> asyncio.AbstractEventLoop:
    """Asked once: to ask takes as long as a short request."""
    return portal.call(asyncio.get_running_loop)


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
