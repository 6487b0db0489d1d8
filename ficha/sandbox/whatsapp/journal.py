"""What happened, in order: each request, each notification, and each message the platform accepted."""

import itertools
from collections import deque
from dataclasses import asdict, dataclass, field
from typing import Any

KEPT = 100_000


@dataclass(frozen=True)
class Came:
    """A request. `status` is None when no answer was given; `accepted` is the id of the message it became."""

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
class Went:
    """One attempt to deliver a notification. `status` is None when nobody answered."""

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
class Accepted:
    """`key` is the caller's own id of the message, `to` what it dialled, `body` what it sent."""

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
        self.entries: deque[Came | Went] = deque(maxlen=KEPT)
        self.accepted: list[Accepted] = []

    def next(self) -> int:
        return next(self._numbers)

    def report(self) -> list[dict[str, Any]]:
        return [_plain(entry) for entry in self.entries]

    def accepted_report(self) -> list[dict[str, Any]]:
        return [asdict(each) for each in self.accepted]


def _plain(entry: Came | Went) -> dict[str, Any]:
    found = asdict(entry)
    if isinstance(entry, Went):
        found["body"] = entry.body.decode("ascii")
    return found
