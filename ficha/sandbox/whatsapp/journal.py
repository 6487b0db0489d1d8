"""The journal: every request, every attempt to notify and every accepted message, in order."""

import itertools
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any

KEPT = 100_000


@dataclass(frozen=True)
class RequestEntry:
    """A request. `status` is None when no response was sent; `accepted` is the id of the message it became."""

    n: int
    at: str
    method: str
    path: str
    status: int | None
    accepted: str | None
    fault: str | None
    error_code: int | None
    kind: str = "request"


@dataclass(frozen=True)
class WebhookEntry:
    """One attempt to deliver a notification. `status` is None when nobody answered; `why` then says the reason."""

    n: int
    at: str
    delivery: int
    attempt: int
    url: str | None
    status: int | None
    why: str | None
    body: bytes
    signature: str
    kind: str = "webhook"


@dataclass(frozen=True)
class AcceptedMessage:
    """`key` is the caller's own id of the message, `to` the recipient as the caller wrote it, `body` what it sent."""

    n: int
    at: str
    id: str
    key: str | None
    to: str
    wa_id: str | None
    user_id: str | None
    type: str
    text: str
    body: dict[str, Any] = field(repr=False)


class Journal:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.entries: deque[RequestEntry | WebhookEntry] = deque(maxlen=KEPT)
        self.accepted: list[AcceptedMessage] = []

    def next_number(self) -> int:
        return next(self._numbers)

    def entries_as_json(self) -> list[dict[str, Any]]:
        return [_as_json(entry) for entry in self.entries]

    def accepted_as_json(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self.accepted]


def _as_json(entry: RequestEntry | WebhookEntry) -> dict[str, Any]:
    found = asdict(entry)
    if isinstance(entry, WebhookEntry):
        found["body"] = entry.body.decode("ascii")
    return found
