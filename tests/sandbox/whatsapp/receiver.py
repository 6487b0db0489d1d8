"""A webhook for tests: a real HTTP server that keeps every notification and answers as the test says."""

import contextlib
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from ficha.sandbox.whatsapp.config import WhatsAppConfig


@dataclass(frozen=True)
class ReceivedNotification:
    body: bytes
    signature: str
    answered: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def values(self) -> list[dict[str, Any]]:
        return [change["value"] for entry in self.json["entry"] for change in entry["changes"]]

    @property
    def statuses(self) -> list[dict[str, Any]]:
        return [status for value in self.values for status in value.get("statuses", ())]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [message for value in self.values for message in value.get("messages", ())]

    def is_signed_with(self, secret: str) -> bool:
        expected = hmac.new(secret.encode(), self.body, hashlib.sha256).hexdigest()
        return hmac.compare_digest(self.signature, f"sha256={expected}")


class Receiver:
    """`answers` are given first, in order; after them, always 200."""

    def __init__(self, check: Callable[[Any], None] = lambda _: None, port: int = 0) -> None:
        self.notifications: list[ReceivedNotification] = []
        self.answers: list[int] = []
        self.verify_token = WhatsAppConfig.verify_token
        self.faults: list[AssertionError] = []
        self._check = check
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v2/webhook/whatsapp"

    def receive(self, body: bytes, signature: str) -> int:
        answer = self.answers.pop(0) if self.answers else 200
        try:
            self._check(json.loads(body))
        except AssertionError as fault:
            self.faults.append(fault)
        self.notifications.append(ReceivedNotification(body, signature, answer))
        return answer

    @property
    def accepted(self) -> list[ReceivedNotification]:
        return [notification for notification in self.notifications if notification.answered == 200]

    @property
    def statuses(self) -> list[dict[str, Any]]:
        return [status for notification in self.accepted for status in notification.statuses]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [message for notification in self.accepted for message in notification.messages]

    def wait_for(self, count: int, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while len(self.notifications) < count:
            assert time.monotonic() < until, f"{len(self.notifications)} notifications came, {count} were expected"
            time.sleep(0.005)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(receiver: Receiver) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
            is_verified = (
                asked.get("hub.mode") == "subscribe" and asked.get("hub.verify_token") == receiver.verify_token
            )
            self._answer(200 if is_verified else 403, asked["hub.challenge"].encode() if is_verified else b"")

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self._answer(receiver.receive(body, self.headers["X-Hub-Signature-256"]), b"")

        def _answer(self, status: int, body: bytes) -> None:
            # A sandbox that is stopped does not wait for answers.
            with contextlib.suppress(ConnectionError):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


def receiver_for_test(check: Callable[[Any], None]) -> Iterator[Receiver]:
    """A receiver for one test, which fails if any notification broke the contract."""
    with Receiver(check) as receiver:
        yield receiver
    if receiver.faults:
        raise receiver.faults[0]
