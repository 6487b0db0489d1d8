"""Things going wrong on purpose: rules that say which requests fail, how, and how often."""

import fnmatch
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ficha.sandbox.http_messages import HttpRequest
from ficha.sandbox.whatsapp.config import SandboxConfig
from ficha.sandbox.whatsapp.errors import CODES
from ficha.sandbox.whatsapp.people import NotAPerson, is_user_id, to_wa_id

ACTIONS = (
    "error",  # An error of the platform: code, status?, details?
    "http",  # Something between us and it answers: status, body? (HTML unless given)
    "latency",  # Nothing wrong, only late: ms
    "late_answer",  # Accepted at once, answered late: ms
    "drop_before",  # The line closes; nothing was accepted.
    "drop_after",  # Accepted, and then the line closes.
    "timeout_after_acceptance",  # Accepted, and then silence.
    "timeout_before_acceptance",  # Silence, and nothing accepted.
    "half_answer",  # Accepted, and the answer breaks off in the middle.
    "cut_request",  # Half of the body arrives, then the line closes: for uploads.
)
HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>"


class BadRule(ValueError):
    """A rule that cannot be understood would never fire, and nobody would know."""


@dataclass
class Rule:
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
    def of(cls, given: Any) -> "Rule":
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

    def fits(self, request: HttpRequest, message: Mapping[str, Any]) -> bool:
        return (
            self.method in (None, request.method)
            and (self.path is None or _path_fits(request.path, self.path))
            and (self.type is None or self.type == _type_of(message))
            and (self.to is None or _same_person(self.to, message))
        )

    def fires(self, chance: random.Random) -> bool:
        self.matched += 1
        if self.matched <= self.skip or (self.times is not None and self.fired >= self.times):
            return False
        if self.probability < 1 and chance.random() >= self.probability:
            return False
        self.fired += 1
        return True

    def report(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


class Faults:
    def __init__(self, config: SandboxConfig) -> None:
        self._seed = config.seed
        self.rules: list[Rule] = []
        self._chance = random.Random(config.seed)  # noqa: S311  Repeatable is the point.

    def set(self, rules: Iterable[Any], seed: int | None = None) -> None:
        """New rules start the chance again, so that the same run meets the same faults."""
        self.rules = [Rule.of(each) for each in rules]
        self._chance = random.Random(self._seed if seed is None else seed)  # noqa: S311

    def of(self, request: HttpRequest) -> tuple[float, Rule | None]:
        """Milliseconds to wait, and the fault to apply. Latency adds up with whatever else goes wrong."""
        if not self.rules:
            return 0, None
        message = _message_of(request)
        wait = 0.0
        for rule in self.rules:
            if rule.fits(request, message) and rule.fires(self._chance):
                if rule.action != "latency":
                    return wait, rule
                wait += rule.ms
        return wait, None


def _path_fits(path: str, pattern: str) -> bool:
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
