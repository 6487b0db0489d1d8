"""The journal: every request, and every call of a webhook, in order."""

import itertools
from collections import deque
from dataclasses import asdict, dataclass
from typing import Any

KEPT = 100_000


@dataclass(frozen=True)
class ChatwootRequest:
    """`status` is None when no response was sent."""

    n: int
    method: str
    target: str
    headers: dict[str, str]
    status: int | None
    fault: str | None
    kind: str = "request"


@dataclass(frozen=True)
class ChatwootDelivery:
    """The one attempt to call a webhook. `status` is None when nobody answered; `why` then says the reason."""

    n: int
    event: str
    url: str
    status: int | None
    why: str | None
    headers: dict[str, str]
    body: str
    kind: str = "webhook"


class ChatwootJournal:
    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self.entries: deque[ChatwootRequest | ChatwootDelivery] = deque(maxlen=KEPT)

    def next_number(self) -> int:
        return next(self._numbers)

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(entry) for entry in self.entries]
