"""A client of the event stream of a real server, as a browser would be."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

from tests import local_http

TIMEOUT_SECONDS = 60.0


def disconnect(response: httpx.Response, reader: threading.Thread) -> None:
    """Closes the connection whatever the server is doing, and waits for the thread that reads it."""
    if reader.ident is not None:
        connection: socket.socket = response.extensions["network_stream"].get_extra_info("socket")
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        reader.join(60)
    response.close()


@dataclass(frozen=True)
class ReceivedEvent:
    id: str | None
    kind: str
    data: Any
    at: float


class Listener:
    def __init__(self, port: int, token: str | None, last_id: str | None = None, **headers: str) -> None:
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        self.last_id: str | None = None
        self.comments: list[str] = []
        self.retry: str | None = None
        self.is_over = False
        self._received: list[ReceivedEvent] = []
        self._changed = threading.Condition()
        self._client = local_http.client()
        request = self._client.build_request("GET", f"http://127.0.0.1:{port}/v2/events", headers=headers)
        self.response = self._client.send(request, stream=True)
        self._thread = threading.Thread(target=self._read, daemon=True)
        if self.response.status_code == 200:
            self._thread.start()
            self.wait_until(lambda: self.last_id is not None)  # From here on nothing is missed.

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def received(self) -> list[ReceivedEvent]:
        with self._changed:
            return list(self._received)

    @property
    def numbers(self) -> list[int]:
        """The numbers that the tests put into the payloads."""
        return [one.data["n"] for one in self.received if "n" in one.data]

    def kinds(self) -> list[str]:
        return [one.kind for one in self.received]

    def wait_until(self, condition: Callable[[], bool], seconds: float = TIMEOUT_SECONDS) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, seconds), f"got {self._received}, {self.comments}, {self.is_over}"

    def wait_for_events(self, count: int, seconds: float = TIMEOUT_SECONDS) -> list[ReceivedEvent]:
        self.wait_until(lambda: len(self._received) >= count, seconds)
        return self.received

    def close(self) -> None:
        disconnect(self.response, self._thread)
        self._client.close()

    def _read(self) -> None:
        fields: dict[str, str] = {}
        try:
            for line in self.response.iter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = value
                    continue
                with self._changed:
                    self._take(fields)
                    self._changed.notify_all()
                fields = {}
        except httpx.TransportError:
            pass  # We closed the connection, or the server did.
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def _take(self, fields: dict[str, str]) -> None:
        if "" in fields:
            self.comments.append(fields[""])
        self.retry = fields.get("retry", self.retry)
        if "data" in fields:
            received = ReceivedEvent(fields.get("id"), fields["event"], json.loads(fields["data"]), time.monotonic())
            self._received.append(received)
        self.last_id = fields.get("id", self.last_id)
