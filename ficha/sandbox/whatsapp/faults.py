"""What can go wrong on purpose with requests to WhatsApp."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ficha.sandbox.fault_rules import BadRule, FaultRule
from ficha.sandbox.http_messages import HttpRequest
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
    "take_half",  # Half of the body is taken, and answered as a short piece is: for uploads.
)


@dataclass
class WhatsAppFault(FaultRule):
    type: str | None = None
    to: str | None = None
    code: int = 131000
    status: int | None = None
    details: str | None = None
    body: str | None = None

    def matches(self, request: HttpRequest) -> bool:
        if not super().matches(request):
            return False
        if self.type is None and self.to is None:
            return True
        message = _message_of(request)
        return (self.type is None or self.type == _type_of(message)) and (
            self.to is None or _same_person(self.to, message)
        )


def read_rule(given: Any) -> WhatsAppFault:
    """Raises BadRule."""
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
    return WhatsAppFault(**options, **match)


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
