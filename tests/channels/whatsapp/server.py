"""A real HTTP server that answers as it is told, and remembers what it was asked."""

import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

from ficha.channels.whatsapp import WhatsApp
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
class Seen:
    """Header names in lower case; `target` byte for byte as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    line: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """`body` as JSON unless it is bytes. `promised` announces more bytes than come; `waits` holds back each of them."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    promised: int = 0
    drops: bool = False
    hangs: bool = False
    waits: float = 0

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


class Platform(ThreadingHTTPServer):
    """Answers in the order of `replies`, the last one for ever. Every request must fit the platform's contract."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[Seen] = []
        self.faults: list[str] = []
        self.replies: list[Reply] = [Reply(body=ACCEPTED)]
        self.lines = 0
        self.dripped = 0
        self.date: str | None = None
        self.is_over = Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def answers(self, *replies: Reply | dict[str, Any]) -> None:
        self.replies = [reply if isinstance(reply, Reply) else Reply(body=reply) for reply in replies]

    @property
    def last(self) -> Seen:
        return self.seen[-1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Platform

    def setup(self) -> None:
        super().setup()
        self.server.lines += 1
        self.line = self.server.lines

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self._body(headers)
        self.server.seen.append(Seen(self.command, self.path, headers, body, self.line))
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
        if reply.hangs:
            self.server.is_over.wait(10)
        if reply.drops or reply.hangs:
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in {"Content-Type": "application/json", **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.content) + reply.promised))
        self.end_headers()
        if not reply.waits:
            self.wfile.write(reply.content)
        else:
            self._drip(reply)
        self.close_connection = bool(reply.promised)

    def _drip(self, reply: Reply) -> None:
        try:
            for byte in reply.content:
                self.wfile.write(bytes([byte]))
                self.server.dripped += 1
                if self.server.is_over.wait(reply.waits):
                    return
        except OSError:  # The client has lost its patience, as it should.
            self.close_connection = True

    def date_time_string(self, timestamp: float | None = None) -> str:
        return self.server.date or super().date_time_string(timestamp)

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


@contextmanager
def platform(*, keeps_contract: bool = True) -> Iterator[Platform]:
    server = Platform()
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
    if keeps_contract:
        assert not server.faults, server.faults


@contextmanager
def client(url: str, *, prove_token: bool = False, **changes: Any) -> Iterator[WhatsApp]:
    whatsapp = WhatsApp(settings(url, **changes), prove_token=prove_token)
    try:
        yield whatsapp
    finally:
        whatsapp.close()


def settings(url: str, **changes: Any) -> Settings:
    values = {"whatsapp_base_url": url, "whatsapp_token": TOKEN, "whatsapp_app_secret": "app-secret-for-tests"}
    return settings_for("", Path("unused"), **values | {"whatsapp_seconds": 5} | changes)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
