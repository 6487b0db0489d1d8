"""The panel of the help desk: the conversations of Chatwoot's sandbox as an agent sees them, and what a developer does
in the place of an agent."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ficha.core.settings import Settings
from ficha.parts import Parts
from ficha.web.kit.forms import BadForm
from ficha.web.sandbox.actions import Form, typed_text
from ficha.web.sandbox.control_client import (
    UNREADABLE,
    call_sandbox,
    is_on_this_machine,
    state_version,
)
from ficha.web.sandbox.panels import Panel

MOST_CONVERSATIONS = 12
MOST_MESSAGES = 50
INCOMING = 0


@dataclass(frozen=True)
class HelpdeskMessage:
    """`who` is empty for what the service itself wrote."""

    text: str
    who: str
    at: datetime
    is_theirs: bool
    is_private: bool
    state: str


@dataclass(frozen=True)
class HelpdeskConversation:
    number: int
    name: str
    status: str
    labels: Sequence[str]
    team: str
    messages: Sequence[HelpdeskMessage]

    @property
    def anchor(self) -> str:
        return anchor_of_conversation(self.number)


@dataclass(frozen=True)
class Helpdesk:
    """`is_here`: there is a sandbox of Chatwoot beside the one of WhatsApp."""

    is_here: bool
    conversations: Sequence[HelpdeskConversation] = ()


def has_helpdesk(settings: Settings) -> bool:
    return is_on_this_machine(settings) and settings.has_chatwoot and settings.chatwoot_url == settings.whatsapp_url


def helpdesk_panel(parts: Parts) -> Panel:
    if not has_helpdesk(parts.settings):
        return _panel("elsewhere", Helpdesk(is_here=False))
    try:
        state = call_sandbox(parts.settings, "GET", "chatwoot/state")
        found = [_conversation(each) for each in state["conversations"][:MOST_CONVERSATIONS]]
        return _panel(str(state["version"]), Helpdesk(is_here=True, conversations=found))
    except UNREADABLE:
        return _panel("unreachable", Helpdesk(is_here=False))


def helpdesk_version(parts: Parts, seen: str) -> str:
    return state_version(parts.settings, "chatwoot/state", seen) if has_helpdesk(parts.settings) else "elsewhere"


def _panel(version: str, state: Helpdesk) -> Panel:
    return Panel("sandbox/helpdesk.html", "right", version, state)


def _conversation(found: Mapping[str, Any]) -> HelpdeskConversation:
    return HelpdeskConversation(
        number=found["id"],
        name=found["meta"]["sender"]["name"] or "",
        status=found["status"],
        labels=found["labels"],
        team=(found["meta"].get("team") or {}).get("name", ""),
        messages=[_message(each) for each in found["all_messages"][-MOST_MESSAGES:]],
    )


def _message(found: Mapping[str, Any]) -> HelpdeskMessage:
    return HelpdeskMessage(
        text=found["content"] or "",
        who=(found.get("sender") or {}).get("name") or "",
        at=datetime.fromtimestamp(found["created_at"], UTC),
        is_theirs=found["message_type"] == INCOMING,
        is_private=found["private"],
        state=found["status"] or "",
    )


def anchor_of_conversation(number: int | str) -> str:
    return f"mesa-{number}"


def answer(settings: Settings, form: Form) -> str:
    return _write(settings, form, private=False)


def keep_note(settings: Settings, form: Form) -> str:
    return _write(settings, form, private=True)


def resolve(settings: Settings, form: Form) -> str:
    return _set_status(settings, form, "resolved")


def reopen(settings: Settings, form: Form) -> str:
    return _set_status(settings, form, "open")


# Each returns the anchor of the conversation.
HELPDESK_ACTIONS: Mapping[str, Callable[[Settings, Form], str]] = {
    "responder": answer,
    "nota": keep_note,
    "resolver": resolve,
    "reabrir": reopen,
}


def _write(settings: Settings, form: Form, *, private: bool) -> str:
    number = _number(settings, form)
    body = {"conversation": number, "content": typed_text(form), "private": private}
    call_sandbox(settings, "POST", "chatwoot/messages", body)
    return anchor_of_conversation(number)


def _set_status(settings: Settings, form: Form, status: str) -> str:
    number = _number(settings, form)
    call_sandbox(settings, "POST", "chatwoot/status", {"conversation": number, "status": status})
    return anchor_of_conversation(number)


def _number(settings: Settings, form: Form) -> int:
    number = form.get("conversacion", "")
    if not has_helpdesk(settings) or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise BadForm
    return int(number)
