"""Messages in both directions, and the statuses of those the business sent."""

import base64
import secrets
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from ficha.sandbox.whatsapp.people import Person


@dataclass(frozen=True)
class StatusUpdate:
    status: str
    at: datetime
    error: dict[str, Any] | None = None


@dataclass(frozen=True)
class DeliveryFailure:
    """Why an accepted message will not arrive: the code of its failed status."""

    code: int
    details: str | None = None


@dataclass
class ChatMessage:
    """`out` is from the business. `raw` is the platform's own form of it."""

    id: str
    direction: Literal["in", "out"]
    person: Person
    phone_number_id: str
    type: str
    at: datetime
    text: str
    raw: dict[str, Any]
    version: float = 23.0
    category: str = "service"
    in_window: bool = False
    key: str | None = None
    buttons: list[dict[str, str]] = field(default_factory=list)
    location: dict[str, Any] | None = None
    media: dict[str, Any] | None = None
    statuses: list[StatusUpdate] = field(default_factory=list)
    is_read_by_business: bool = False

    @property
    def reached(self) -> frozenset[str]:
        return frozenset(update.status for update in self.statuses)


@dataclass
class Chats:
    messages: dict[str, ChatMessage] = field(default_factory=dict)
    _by_person: dict[str, list[ChatMessage]] = field(default_factory=dict)

    def add(self, message: ChatMessage) -> ChatMessage:
        self.messages[message.id] = message
        self._by_person.setdefault(message.person.key, []).append(message)
        return message

    def of(self, person: Person) -> list[ChatMessage]:
        return self._by_person.get(person.key, [])

    def sent_to(self, person: Person) -> list[ChatMessage]:
        return [each for each in self.of(person) if each.direction == "out"]


def new_wamid(person: Person, direction: Literal["in", "out"]) -> str:
    """Like the real ones: base64 of the person, the direction and a random part."""
    key = person.key.encode()
    marker = b"\x15\x02\x00\x11\x18\x12" if direction == "out" else b"\x15\x02\x00\x12\x18\x12"
    raw = b"\x1c\x18" + bytes([len(key)]) + key + marker + secrets.token_hex(9).upper().encode() + b"\x00"
    return "wamid." + base64.b64encode(raw).decode()
