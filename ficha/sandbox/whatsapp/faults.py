"""Faults on purpose: rules that say which requests fail, how, and how often."""

import fnmatch
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ficha.sandbox.http_messages import HttpRequest
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from ficha.sandbox.whatsapp.errors import CODES
from ficha.sandbox.whatsapp.people import NotAPerson, is_user_id, to_wa_id

ACTIONS = (
    "error",  # An error of the platform: code, status?, details?
    "http",  # A proxy in front of the platform answers: status, body? (HTML unless given)
    "latency",  # Accepted late: ms
    "late_answer",  # Accepted at once, answered late: ms
    "drop_before",  # The connection closes; nothing was accepted.
    "drop_after",  # Accepted, and then the connection closes.
    "timeout_after_acceptance",  # Accepted, and then silence.
    "timeout_before_acceptance",  # Silence, and nothing accepted.
    "half_answer",  # Accepted, and the answer breaks off in the middle.
    "cut_request",  # Half of the body arrives, then the connection closes: for uploads.
)
BAD_GATEWAY_PAGE = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


class BadRule(ValueError):
    """The rule cannot be understood. Kept, it would never fire, and nobody would know."""


@dataclass
class FaultRule:
    """`times` is how often it fires (None: always); `skip` how many matches it lets pass first."""

    action: str
    path: str | None = None
    method: str | None = None
    type: str | None = None
    to: str | None = None
    times: int | None = None
    skip: int = 0
    probability: float = 1.0
    code: int = 131000
    status: int | None = None
    details: str | None = None
    body: str | None = None
    ms: float = 0
    matched: int = 0
    fired: int = 0

    @classmethod
    def of(cls, given: Any) -> "FaultRule":
        if not isinstance(given, dict):
            raise BadRule("A rule is an object.")
        match = given.get("match") or {}
        options = {name: value for name, value in given.items() if name != "match"}
        known = {"action", "times", "skip", "probability", "code", "status", "details", "body", "ms"}
        if unknown := sorted((set(options) - known) | (set(match) - {"path", "method", "type", "to"})):
            raise BadRule(f"Unknown in a rule: {', '.join(unknown)}.")
        if options.get("action") not in ACTIONS:
            raise BadRule(f"An action is one of: {', '.join(ACTIONS)}.")
        if options["action"] == "error" and options.get("code", 131000) not in CODES:
            raise BadRule(f"The platform has no error {options['code']}.")
        return cls(**options, **match)

    def matches(self, request: HttpRequest, message: Mapping[str, Any]) -> bool:
        return (
            self.method in (None, request.method)
            and (self.path is None or _path_matches(request.path, self.path))
            and (self.type is None or self.type == _type_of(message))
            and (self.to is None or _same_person(self.to, message))
        )

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


class Faults:
    def __init__(self, config: WhatsAppConfig) -> None:
        self._seed = config.seed
        self.rules: list[FaultRule] = []
        self._random = random.Random(config.seed)  # noqa: S311  Repeatable is the point.

    def set(self, rules: Iterable[Any], seed: int | None = None) -> None:
        """Replaces the rules and restarts the random numbers, so that the same run gets the same faults."""
        self.rules = [FaultRule.of(each) for each in rules]
        self._random = random.Random(self._seed if seed is None else seed)  # noqa: S311

    def choose(self, request: HttpRequest) -> tuple[float, FaultRule | None]:
        """Milliseconds to wait, and the fault to apply. Latency is added to any other fault."""
        if not self.rules:
            return 0, None
        message = _message_of(request)
        wait = 0.0
        for rule in self.rules:
            if rule.matches(request, message) and rule.fires(self._random):
                if rule.action != "latency":
                    return wait, rule
                wait += rule.ms
        return wait, None


def _path_matches(path: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(path, pattern) if any(c in pattern for c in "*?[") else pattern in path


def _message_of(request: HttpRequest) -> Mapping[str, Any]:
    try:
        body = json.loads(request.body) if request.content_type == "application/json" else None
    except ValueError:
        body = None
    return body if isinstance(body, dict) else {}


def _type_of(message: Mapping[str, Any]) -> str | None:
    if "status" in message:
        return "read"
    return str(message.get("type", "text")) if "messaging_product" in message else None


def _same_person(wanted: str, message: Mapping[str, Any]) -> bool:
    given = str(message.get("to") or message.get("recipient") or "")
    try:
        return given == wanted or (not is_user_id(wanted) and to_wa_id(given) == to_wa_id(wanted))
    except NotAPerson:
        return False
