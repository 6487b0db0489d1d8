"""Somebody who listens to the stream of a real server, as a browser would."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx

PATIENCE = 20.0


def hang_up(response: httpx.Response, listening: threading.Thread) -> None:
    """Whatever the server is doing."""
    if listening.ident is not None:
        wire: socket.socket = response.extensions["network_stream"].get_extra_info("socket")
        with contextlib.suppress(OSError):
            wire.shutdown(socket.SHUT_RDWR)
        listening.join(5)
    response.close()


@dataclass(frozen=True)
class Heard:
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
        self._heard: list[Heard] = []
        self._changed = threading.Condition()
        self._client = httpx.Client(timeout=httpx.Timeout(30, read=60), verify=False)
        request = self._client.build_request("GET", f"http://127.0.0.1:{port}/v2/events", headers=headers)
        self.response = self._client.send(request, stream=True)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        if self.response.status_code == 200:
            self._thread.start()
            self.until(lambda: self.last_id is not None)  # From here on nothing is missed.

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    @property
    def heard(self) -> list[Heard]:
        with self._changed:
            return list(self._heard)

    @property
    def numbers(self) -> list[int]:
        """What the tests put into the payload."""
        return [one.data["n"] for one in self.heard if "n" in one.data]

    def kinds(self) -> list[str]:
        return [one.kind for one in self.heard]

    def until(self, is_so: Callable[[], bool], seconds: float = PATIENCE) -> None:
        with self._changed:
            assert self._changed.wait_for(is_so, seconds), f"heard {self._heard}, {self.comments}, {self.is_over}"

    def until_heard(self, count: int, seconds: float = PATIENCE) -> list[Heard]:
        self.until(lambda: len(self._heard) >= count, seconds)
        return self.heard

    def leave(self) -> None:
        hang_up(self.response, self._thread)
        self._client.close()

    def _listen(self) -> None:
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
            pass  # We hung up, or the server did.
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def _take(self, fields: dict[str, str]) -> None:
        if "" in fields:
            self.comments.append(fields[""])
        self.retry = fields.get("retry", self.retry)
        if "data" in fields:
            heard = Heard(fields.get("id"), fields["event"], json.loads(fields["data"]), time.monotonic())
            self._heard.append(heard)
        self.last_id = fields.get("id", self.last_id)
