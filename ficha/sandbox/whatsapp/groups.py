"""Groups of a number of the business: people join by a link or are added, and the business decides who stays."""

import base64
import itertools
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ficha.sandbox.whatsapp.errors import invalid_parameter, no_such_object
from ficha.sandbox.whatsapp.people import Person

MOST_PARTICIPANTS = 8
APPROVAL_MODES = ("approval_required", "auto_approve")
LONGEST = {"subject": 128, "description": 2048}
# What the ids of all groups begin with: `capi_group:` in Base64.
ID_START = "Y2FwaV9ncm91c"
_FIRST_ID = 120363394320096415


def _new_link() -> str:
    return f"https://chat.whatsapp.com/{secrets.token_urlsafe(16)}"


@dataclass(frozen=True)
class JoinRequest:
    id: str
    person: Person
    at: datetime


@dataclass
class Group:
    id: str
    phone_number_id: str
    subject: str
    description: str
    join_approval_mode: str
    created_at: datetime
    # None once it was deleted: until a new one is made nobody can join by a link.
    invite_link: str | None = field(default_factory=_new_link)
    participants: dict[str, Person] = field(default_factory=dict)
    join_requests: dict[str, JoinRequest] = field(default_factory=dict)

    def make_link(self) -> str:
        """A new one, in place of the one before."""
        self.invite_link = _new_link()
        return self.invite_link

    def description_of(self, fields: str | None) -> dict[str, Any]:
        everything: dict[str, Any] = {
            "id": self.id,
            "messaging_product": "whatsapp",
            "subject": self.subject,
            "description": self.description,
            "join_approval_mode": self.join_approval_mode,
            "suspended": False,
            "creation_timestamp": int(self.created_at.timestamp()),
            "participants": [{"wa_id": key} for key in self.participants],
            "total_participant_count": len(self.participants),
        }
        wanted = list(everything) if fields is None else [name.strip() for name in fields.split(",")]
        return {name: everything[name] for name in ("id", "messaging_product", *wanted) if name in everything}

    def change(self, asked: Mapping[str, Any]) -> dict[str, str]:
        """What was changed; raises GraphError if it breaks a limit."""
        changes = {name: checked_text(asked, name) for name in LONGEST if asked.get(name) is not None}
        if not changes.get("subject", "x"):
            raise invalid_parameter("Param subject must not be empty.")
        self.subject = changes.get("subject", self.subject)
        self.description = changes.get("description", self.description)
        return changes

    def add(self, people: Sequence[Person]) -> list[Person]:
        """Those who were not there yet; raises GraphError if the group would be too large."""
        new = list({each.key: each for each in people if each.key not in self.participants}.values())
        if len(self.participants) + len(new) > MOST_PARTICIPANTS:
            raise invalid_parameter(f"A group has at most {MOST_PARTICIPANTS} participants.")
        self.participants |= {each.key: each for each in new}
        return new

    def remove(self, people: Sequence[Person]) -> list[Person]:
        return [each for each in people if self.participants.pop(each.key, None) is not None]

    def ask_to_join(self, person: Person, now: datetime) -> bool:
        """The person opens the link. Whether she is in the group now, or has to be approved first."""
        if self.join_approval_mode == "auto_approve" or person.key in self.participants:
            self.add([person])
            return True
        if all(each.person is not person for each in self.join_requests.values()):
            request = JoinRequest(base64.urlsafe_b64encode(secrets.token_bytes(24)).decode(), person, now)
            self.join_requests[request.id] = request
        return False


@dataclass
class Groups:
    known: dict[str, Group] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(_FIRST_ID))

    def create(self, phone_number_id: str, digits: str, asked: Mapping[str, Any], now: datetime) -> Group:
        """Raises GraphError if a value is missing or breaks a limit."""
        subject = checked_text(asked, "subject")
        if not subject:
            raise invalid_parameter("The parameter subject is required.")
        mode = asked.get("join_approval_mode", "auto_approve")
        if mode not in APPROVAL_MODES:
            raise invalid_parameter(f"Param join_approval_mode must be one of {{{', '.join(APPROVAL_MODES)}}}")
        name = base64.urlsafe_b64encode(f"capi_group:{digits}:{next(self.ids)}".encode()).decode().rstrip("=")
        group = Group(f"{name}ZD", phone_number_id, subject, checked_text(asked, "description"), mode, now)
        self.known[group.id] = group
        return group

    def find(self, group_id: str, method: str) -> Group:
        """Raises GraphError."""
        if (group := self.known.get(group_id)) is None:
            raise no_such_object(group_id, method)
        return group

    def of_number(self, phone_number_id: str) -> list[Group]:
        return [each for each in self.known.values() if each.phone_number_id == phone_number_id]

    def with_link(self, link: object) -> Group | None:
        return next((each for each in self.known.values() if link is not None and each.invite_link == link), None)


def checked_text(asked: Mapping[str, Any], name: str) -> str:
    """Without the space around it; raises GraphError if it is too long."""
    value = asked.get(name, "")
    if not isinstance(value, str) or len(value.strip()) > LONGEST[name]:
        raise invalid_parameter(f"Param {name} must be at most {LONGEST[name]} characters long.")
    return value.strip()
