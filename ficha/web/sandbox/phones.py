"""The panel of phones: every chat as the person sees it, with the status of each message of the business."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from ficha.parts import Parts
from ficha.sandbox.whatsapp.people import NotAPerson, is_user_id, to_wa_id, user_id_of
from ficha.web.sandbox.bubbles import Bubble, bubbles_of
from ficha.web.sandbox.control_client import UNREADABLE, call_sandbox, is_on_this_machine, state_version
from ficha.web.sandbox.panels import Panel

MOST_PHONES = 12
MOST_BUBBLES = 50
# Plaza Bolívar, Caracas: suggested for somebody who has not sent a location yet.
DEFAULT_LOCATION = (10.5061, -66.9146)
# Some two hundred metres: the next location that is suggested differs a little from the last.
STEP_DEGREES = 0.002


@dataclass(frozen=True)
class ShownPhone:
    """`person` is the platform's user id, not the number. `fails` is the code with which its next messages fail."""

    person: str
    name: str
    address: str
    window_until: datetime | None
    is_window_open: bool
    has_stopped: bool
    fails: int | None
    bubbles: Sequence[Bubble]
    older: int
    latitude: float
    longitude: float

    @property
    def anchor(self) -> str:
        return anchor_of(self.person)


@dataclass(frozen=True)
class Phones:
    """`elsewhere`: messages go to the real platform. `unreachable`: nothing answers at the sandbox's address."""

    where: Literal["here", "unreachable", "elsewhere"]
    phones: Sequence[ShownPhone] = ()
    more: int = 0
    # Where the API is, for the example of a first message.
    api: str = ""
    integration: str = ""


def phones_panel(parts: Parts) -> Panel:
    settings = parts.settings
    api = f"{settings.public_url}{settings.v2}"
    if not is_on_this_machine(settings):
        return _panel("elsewhere", Phones("elsewhere"))
    try:
        state = call_sandbox(settings, "GET", "state")
        fails = failure_codes(call_sandbox(settings, "GET", "behaviour")["fails"])
        chats = [_phone(chat, fails) for chat in state["chats"][:MOST_PHONES]]
        found = Phones("here", chats, max(0, len(state["chats"]) - MOST_PHONES), api, settings.integration)
        return _panel(str(state["version"]), found)
    except UNREADABLE:
        return _panel("unreachable", Phones("unreachable"))


def phones_version(parts: Parts, seen: str) -> str:
    """The version of the sandbox's state. When it is still `seen`, the sandbox sends no chats."""
    return state_version(parts.settings, "state", seen) if is_on_this_machine(parts.settings) else "elsewhere"


def failure_codes(fails: Mapping[str, int]) -> dict[str, int]:
    """The codes of failing people by user id; the sandbox may have been given their numbers."""
    return {person: int(code) for written, code in fails.items() if (person := person_of(written)) is not None}


def person_of(written: str) -> str | None:
    """The user id of a number or of a user id; None if it is neither."""
    if is_user_id(written):
        return written
    try:
        return user_id_of(to_wa_id(written))
    except NotAPerson:
        return None


def anchor_of(person: str) -> str:
    """The person's anchor on the page: hashed, because it appears in addresses."""
    return f"tel-{sha256(person.encode()).hexdigest()[:8]}"


def _panel(version: str, phones: Phones) -> Panel:
    return Panel("sandbox/phones.html", "left", version, phones)


def _phone(chat: Mapping[str, Any], fails: Mapping[str, int]) -> ShownPhone:
    user, until = chat["user"], chat["window_open_until"]
    messages = chat["messages"]
    latitude, longitude = _suggested_location(messages)
    address = f"+{user['wa_id']}" if user["wa_id"] else user["user_id"]
    return ShownPhone(
        person=user["user_id"],
        name=user["name"],
        # A person without a name is called by the number, which is not shown twice.
        address="" if address == user["name"] else address,
        window_until=datetime.fromisoformat(until) if until else None,
        is_window_open=chat["window_open"],
        has_stopped=chat["stopped"],
        fails=fails.get(user["user_id"]),
        bubbles=bubbles_of(messages, MOST_BUBBLES),
        older=max(0, len(messages) - MOST_BUBBLES),
        latitude=latitude,
        longitude=longitude,
    )


def _suggested_location(messages: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    for message in reversed(messages):
        if message["direction"] == "in" and message["location"]:
            last = message["location"]
            return round(last["lat"] + STEP_DEGREES, 6), round(last["lng"], 6)
    return DEFAULT_LOCATION
