"""What can go wrong on purpose with requests to Chatwoot."""

from dataclasses import dataclass
from typing import Any

from ficha.sandbox.fault_rules import BadRule, FaultRule
from ficha.sandbox.http_messages import Ending

ACTIONS = (
    "http",  # Something in front of the platform answers: status, body? (HTML unless given), content_type?, location?
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


@dataclass
class ChatwootFault(FaultRule):
    status: int = 502
    body: str | None = None
    location: str | None = None
    content_type: str = "text/html"


def read_rule(given: Any) -> ChatwootFault:
    """Raises BadRule."""
    known = {
        "action",
        "path",
        "method",
        "times",
        "skip",
        "probability",
        "status",
        "body",
        "location",
        "ms",
        "content_type",
    }
    if not isinstance(given, dict) or set(given) - known:
        raise BadRule(f"A rule is an object with some of: {', '.join(sorted(known))}.")
    if given.get("action") not in ACTIONS:
        raise BadRule(f"An action is one of: {', '.join(ACTIONS)}.")
    return ChatwootFault(**given)
