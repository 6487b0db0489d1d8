"""An HTTP server that gives the answers it was told to give, and records the requests. The sandbox behaves as the
platform does; this one also answers what the platform never would: broken, slow, endless or in a proxy's words."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

from ficha.channels.whatsapp.client import WhatsApp
from ficha.core.settings import Settings
from tests.channels.whatsapp.contract import faults
from tests.world import settings_for

TOKEN = "EAATESTTOKEN"
NUMBER = "106540352242922"
ACCEPTED = {
    "messaging_product": "whatsapp",
    "contacts": [{"input": "+584125551111", "wa_id": "584125551111"}],
    "messages": [{"id": "wamid.HBgLMTY0NjcwNDM1OTUVAgARGBI1RjQyNUE3NEYxMzAzMzQ5MkEA"}],
}


@dataclass(frozen=True)
class RecordedRequest:
    """Header names in lower case; `target` byte for byte as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    connection_number: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """`body` is sent as JSON unless it is bytes. `missing_bytes` are announced but not sent; `closes` ends the
    connection without an answer."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    missing_bytes: int = 0
    closes: bool = False
    never_answers: bool = False
    seconds_per_byte: float = 0

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class ScriptedPlatform(ThreadingHTTPServer):
    """Gives `replies` in order, the last one for ever. Every request must fit the platform's published contract."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[RecordedRequest] = []
        self.faults: list[str] = []
        self.replies: list[Reply] = [Reply(body=ACCEPTED)]
        self.connections = 0
        self.slow_bytes = 0
        self.date: str | None = None
        self.is_stopping = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answers(self, *replies: Reply | dict[str, Any]) -> None:
        self.replies = [reply if isinstance(reply, Reply) else Reply(body=reply) for reply in replies]

    @property
    def last(self) -> RecordedRequest:
        return self.requests[-1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ScriptedPlatform

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1
        self.connection_number = self.server.connections

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self._body(headers)
        self.server.requests.append(RecordedRequest(self.command, self.path, headers, body, self.connection_number))
        if not self.path.startswith("/files/"):
            self.server.faults += faults(self.command, self.path, headers, body)
        replies = self.server.replies
        self._answer(replies.pop(0) if len(replies) > 1 else replies[0])

    do_POST = do_DELETE = do_GET  # noqa: N815

    def _body(self, headers: dict[str, str]) -> bytes:
        if headers.get("transfer-encoding") != "chunked":
            return self.rfile.read(int(headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(self, reply: Reply) -> None:
        if reply.never_answers:
            self.server.is_stopping.wait(10)
        if reply.closes or reply.never_answers:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.content) + reply.missing_bytes))
        self.end_headers()
        if not reply.seconds_per_byte:
            self.wfile.write(reply.content)
        else:
            self._answer_slowly(reply)
        self.close_connection = bool(reply.missing_bytes)

    def _answer_slowly(self, reply: Reply) -> None:
        try:
            for byte in reply.content:
                self.wfile.write(bytes([byte]))
                self.server.slow_bytes += 1
                if self.server.is_stopping.wait(reply.seconds_per_byte):
                    return
        except OSError:  # The client stopped waiting, as it should.
            self.close_connection = True

    def date_time_string(self, timestamp: float | None = None) -> str:
        return self.server.date or super().date_time_string(timestamp)

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


@contextmanager
def scripted_platform(*, keeps_contract: bool = True) -> Iterator[ScriptedPlatform]:
    server = ScriptedPlatform()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.is_stopping.set()
        server.shutdown()
        server.server_close()
        thread.join()
    if keeps_contract:
        assert not server.faults, server.faults


@contextmanager
def client(url: str, **changes: Any) -> Iterator[WhatsApp]:
    whatsapp = WhatsApp(settings(url, **changes))
    try:
        yield whatsapp
    finally:
        whatsapp.close()


def settings(url: str, **changes: Any) -> Settings:
    values = {"whatsapp_base_url": url, "whatsapp_token": TOKEN, "whatsapp_app_secret": "app-secret-for-tests"}
    return settings_for("", Path("unused"), **values | {"whatsapp_seconds": 5} | changes)
