"""Faults on purpose: rules that say which requests to a platform fail, and how often. What a fault does is each
platform's own."""

import fnmatch
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ficha.sandbox.http_messages import HttpRequest

BAD_GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


class BadRule(ValueError):
    """The rule cannot be understood. Kept, it would never fire, and nobody would know."""


@dataclass
class FaultRule:
    """`times` is how often it fires (None: always); `skip` how many matches it lets pass first. A path without * or ?
    is a part of the request's."""

    action: str
    path: str | None = None
    method: str | None = None
    times: int | None = None
    skip: int = 0
    probability: float = 1.0
    ms: float = 0
    matched: int = 0
    fired: int = 0

    def matches(self, request: HttpRequest) -> bool:
        return self.method in (None, request.method) and (self.path is None or _path_matches(request.path, self.path))

    def fires(self, numbers: random.Random) -> bool:
        self.matched += 1
        if self.matched <= self.skip or (self.times is not None and self.fired >= self.times):
            return False
        if self.probability < 1 and numbers.random() >= self.probability:
            return False
        self.fired += 1
        return True

    def report(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


R = TypeVar("R", bound=FaultRule)


class Faults(Generic[R]):
    """`read` makes a rule of what a caller gives, or raises BadRule."""

    def __init__(self, seed: int, read: Callable[[Any], R]) -> None:
        self.rules: list[R] = []
        self._seed, self._read = seed, read
        self._numbers = random.Random(seed)  # noqa: S311  Repeatable is the point.

    def set(self, rules: Iterable[Any], seed: int | None = None) -> None:
        """Replaces the rules and restarts the random numbers, so that the same run gets the same faults."""
        self.rules = [self._read(each) for each in rules]
        self._numbers = random.Random(self._seed if seed is None else seed)  # noqa: S311

    def choose(self, request: HttpRequest) -> tuple[float, R | None]:
        """Seconds to wait, and the fault to apply. Latency is added to any other fault."""
        wait = 0.0
        for rule in self.rules:
            if rule.matches(request) and rule.fires(self._numbers):
                if rule.action != "latency":
                    return wait, rule
                wait += rule.ms / 1000
        return wait, None


def _path_matches(path: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(path, pattern) if any(c in pattern for c in "*?[") else pattern in path
