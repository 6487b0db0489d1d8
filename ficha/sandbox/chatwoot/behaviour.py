"""How Chatwoot behaves: its limits and the times of its webhooks, which can be changed while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


class BadBehaviour(ValueError):
    """The platform cannot behave like that."""


@dataclass(frozen=True)
class ChatwootBehaviour:
    """How the platform behaves; `PUT /_sandbox/chatwoot/behaviour` changes it while it runs. A limit that is None is
    switched off."""

    requests_per_minute: int | None = 3000
    searches_per_minute: int | None = 100
    uploads_per_hour: int | None = 60
    messages_per_minute: int | None = 200
    # How long a webhook may take to answer. There is no second attempt.
    webhook_seconds: float = 5
    # Older releases sign nothing.
    signs_webhooks: bool = True
    wrong_signature: bool = False
    webhook_copies: int = 1

    def changed(self, values: Mapping[str, Any]) -> "ChatwootBehaviour":
        """A copy with these values; raises BadBehaviour for an unknown name or a value of the wrong type."""
        from pydantic import TypeAdapter, ValidationError  # noqa: PLC0415  Most sandboxes never need it: memory.

        known = {each.name for each in fields(self)}
        if unknown := sorted(set(values) - known):
            raise BadBehaviour(f"Unknown: {', '.join(unknown)}. Known: {', '.join(sorted(known))}.")
        try:
            together = {name: getattr(self, name) for name in known} | dict(values)
            return TypeAdapter(ChatwootBehaviour).validate_python(together)
        except ValidationError as fault:
            raise BadBehaviour("; ".join(f"{each['loc'][0]}: {each['msg']}" for each in fault.errors())) from None
