"""The phones of the contacts: every chat as the person sees it, and what became of each message of ours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from ficha.parts import Parts
from ficha.sandbox.whatsapp.people import NotAPerson, is_user_id, to_wa_id, user_id_of
from ficha.web.sandbox.bubbles import Bubble, bubbles_of
from ficha.web.sandbox.control import Declined, NoSandbox, call, is_ours
from ficha.web.sandbox.panels import Panel

PHONES = 12
BUBBLES = 50
# Plaza Bolívar, Caracas: where somebody stands who has not sent a place yet.
SOMEWHERE = (10.5061, -66.9146)
# Whoever sends another place has moved a little: some two hundred metres.
A_WALK = 0.002


@dataclass(frozen=True)
class Phone:
    """`person` is the platform's id of who holds it, which is no phone number. `fails` is the code with which the
    next messages to it will fail."""

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
    """`elsewhere`: messages go to the real platform. `silent`: nobody answers where the sandbox should be."""

    where: Literal["here", "silent", "elsewhere"]
    phones: Sequence[Phone] = ()
    more: int = 0
    # Where our own API is, for the newcomer's first message.
    api: str = ""
    integration: str = ""


def phones_panel(parts: Parts) -> Panel:
    settings = parts.settings
    api = f"{settings.public_url}{settings.v2}"
    if not is_ours(settings):
        return _panel("elsewhere", Phones("elsewhere"))
    try:
        state = call(settings, "GET", "state")
        fails = failing(call(settings, "GET", "behaviour")["fails"])
        chats = [_phone(chat, fails) for chat in state["chats"][:PHONES]]
        found = Phones("here", chats, max(0, len(state["chats"]) - PHONES), api, settings.integration)
        return _panel(str(state["version"]), found)
    except (NoSandbox, Declined, KeyError, TypeError):  # Whatever else listens there speaks otherwise.
        return _panel("silent", Phones("silent"))


def phones_news(parts: Parts, seen: str) -> str:
    """The state's version. When it is the one seen already, the sandbox answers with little more than that."""
    if not is_ours(parts.settings):
        return "elsewhere"
    since = f"?since={seen}" if seen.isascii() and seen.isdigit() else ""
    try:
        return str(call(parts.settings, "GET", f"state{since}")["version"])
    except (NoSandbox, Declined, KeyError, TypeError):
        return "silent"


def failing(fails: Mapping[str, int]) -> dict[str, int]:
    """Whose messages fail, by the platform's id: the sandbox may have been told a number."""
    return {person: int(code) for written, code in fails.items() if (person := person_of(written)) is not None}


def person_of(written: str) -> str | None:
    """The platform's id of whoever is behind a number or an id, as somebody wrote it."""
    if is_user_id(written):
        return written
    try:
        return user_id_of(to_wa_id(written))
    except NotAPerson:
        return None


def anchor_of(person: str) -> str:
    """Stands in addresses, so it names nobody."""
    return f"tel-{sha256(person.encode()).hexdigest()[:8]}"


def _panel(news: str, phones: Phones) -> Panel:
    return Panel("sandbox/phones.html", "left", news, phones)


def _phone(chat: Mapping[str, Any], fails: Mapping[str, int]) -> Phone:
    user, until = chat["user"], chat["window_open_until"]
    messages = chat["messages"]
    latitude, longitude = _nearby(messages)
    address = f"+{user['wa_id']}" if user["wa_id"] else user["user_id"]
    return Phone(
        person=user["user_id"],
        name=user["name"],
        # Somebody unknown is called by what was dialled: once is enough.
        address="" if address == user["name"] else address,
        window_until=datetime.fromisoformat(until) if until else None,
        is_window_open=chat["window_open"],
        has_stopped=chat["stopped"],
        fails=fails.get(user["user_id"]),
        bubbles=bubbles_of(messages, BUBBLES),
        older=max(0, len(messages) - BUBBLES),
        latitude=latitude,
        longitude=longitude,
    )


def _nearby(messages: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    for message in reversed(messages):
        if message["direction"] == "in" and message["location"]:
            place = message["location"]
            return round(place["lat"] + A_WALK, 6), round(place["lng"], 6)
    return SOMEWHERE
