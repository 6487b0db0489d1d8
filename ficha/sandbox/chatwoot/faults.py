"""Faults on purpose: rules that say which requests to Chatwoot fail, how, and how often."""

import fnmatch
import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ficha.sandbox.http_messages import Ending, HttpRequest

ACTIONS = (
    "http",  # Something in front of the platform answers: status, body? (HTML unless given), location?
    "latency",  # Carried out late: ms
    "late_answer",  # Carried out at once, answered late: ms
    "drop_before",  # The connection closes; nothing was carried out.
    "drop_after",  # Carried out, and then the connection closes.
    "timeout_before",  # Silence, and nothing carried out.
    "timeout_after",  # Carried out, and then silence.
    "half_answer",  # Carried out, and the answer breaks off in the middle.
)
ENDINGS = {
    "drop_before": Ending.CLOSED,
    "drop_after": Ending.CLOSED,
    "timeout_before": Ending.SILENT,
    "timeout_after": Ending.SILENT,
    "half_answer": Ending.HALF,
}


class BadRule(ValueError):
    """The rule cannot be understood. Kept, it would never fire, and nobody would know."""


@dataclass
class ChatwootFault:
    """`times` is how often it fires (None: always); `skip` how many matches it lets pass first."""

    action: str
    path: str | None = None
    method: str | None = None
    times: int | None = None
    skip: int = 0
    probability: float = 1.0
    status: int = 502
    body: str | None = None
    location: str | None = None
    ms: float = 0
    matched: int = 0
    fired: int = 0

    @classmethod
    def of(cls, given: Any) -> "ChatwootFault":
        known = {"action", "path", "method", "times", "skip", "probability", "status", "body", "location", "ms"}
        if not isinstance(given, dict) or set(given) - known:
            raise BadRule(f"A rule is an object with some of: {', '.join(sorted(known))}.")
        if given.get("action") not in ACTIONS:
            raise BadRule(f"An action is one of: {', '.join(ACTIONS)}.")
        return cls(**given)

    def fires(self, request: HttpRequest, numbers: random.Random) -> bool:
        if self.method not in (None, request.method):
            return False
        if self.path is not None and not fnmatch.fnmatchcase(request.path, self.path):
            return False
        self.matched += 1
        if self.matched <= self.skip or (self.times is not None and self.fired >= self.times):
            return False
        if self.probability < 1 and numbers.random() >= self.probability:
            return False
        self.fired += 1
        return True


class ChatwootFaults:
    def __init__(self, seed: int) -> None:
        self.rules: list[ChatwootFault] = []
        self._seed = seed
        self._numbers = random.Random(seed)  # noqa: S311  Repeatable is the point.

    def set(self, rules: Iterable[Any]) -> None:
        """Replaces the rules and restarts the random numbers, so that the same run gets the same faults."""
        self.rules = [ChatwootFault.of(each) for each in rules]
        self._numbers = random.Random(self._seed)  # noqa: S311

    def choose(self, request: HttpRequest) -> tuple[float, ChatwootFault | None]:
        """Seconds to wait, and the fault to apply. Latency is added to any other fault."""
        wait = 0.0
        for rule in self.rules:
            if rule.fires(request, self._numbers):
                if rule.action != "latency":
                    return wait, rule
                wait += rule.ms / 1000
        return wait, None
