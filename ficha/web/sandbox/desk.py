"""The panel of the help desk: the conversations of Chatwoot's sandbox as an agent sees them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ficha.core.settings import Settings
from ficha.parts import Parts
from ficha.web.sandbox.control_client import SandboxRefused, SandboxUnreachable, call_sandbox, is_on_this_machine
from ficha.web.sandbox.panels import Panel

MOST_CONVERSATIONS = 12
MOST_MESSAGES = 50
INCOMING = 0


@dataclass(frozen=True)
class DeskMessage:
    """`who` is empty for what the service itself wrote."""

    text: str
    who: str
    at: datetime
    is_theirs: bool
    is_private: bool
    state: str


@dataclass(frozen=True)
class DeskTalk:
    number: int
    name: str
    status: str
    labels: Sequence[str]
    team: str
    messages: Sequence[DeskMessage]

    @property
    def anchor(self) -> str:
        return f"mesa-{self.number}"


@dataclass(frozen=True)
class DeskState:
    """`is_here`: there is a sandbox of Chatwoot beside the one of WhatsApp."""

    is_here: bool
    talks: Sequence[DeskTalk] = ()


def has_desk(settings: Settings) -> bool:
    return is_on_this_machine(settings) and settings.has_chatwoot and settings.chatwoot_url == settings.whatsapp_url


def desk_panel(parts: Parts) -> Panel:
    if not has_desk(parts.settings):
        return _panel("elsewhere", DeskState(is_here=False))
    try:
        state = call_sandbox(parts.settings, "GET", "chatwoot/state")
        talks = [_talk(each) for each in state["conversations"][:MOST_CONVERSATIONS]]
        return _panel(str(state["version"]), DeskState(is_here=True, talks=talks))
    except (SandboxUnreachable, SandboxRefused, KeyError, TypeError):  # Something else may listen there.
        return _panel("unreachable", DeskState(is_here=False))


def desk_version(parts: Parts, seen: str) -> str:
    if not has_desk(parts.settings):
        return "elsewhere"
    since = f"?since={seen}" if seen.isascii() and seen.isdigit() else ""
    try:
        return str(call_sandbox(parts.settings, "GET", f"chatwoot/state{since}")["version"])
    except (SandboxUnreachable, SandboxRefused, KeyError, TypeError):
        return "unreachable"


def _panel(version: str, state: DeskState) -> Panel:
    return Panel("sandbox/desk.html", "right", version, state)


def _talk(found: Mapping[str, Any]) -> DeskTalk:
    return DeskTalk(
        number=found["id"],
        name=found["meta"]["sender"]["name"] or "",
        status=found["status"],
        labels=found["labels"],
        team=(found["meta"].get("team") or {}).get("name", ""),
        messages=[_message(each) for each in found["all_messages"][-MOST_MESSAGES:]],
    )


def _message(found: Mapping[str, Any]) -> DeskMessage:
    return DeskMessage(
        text=found["content"] or "",
        who=(found.get("sender") or {}).get("name") or "",
        at=datetime.fromtimestamp(found["created_at"], UTC),
        is_theirs=found["message_type"] == INCOMING,
        is_private=found["private"],
        state=found["status"] or "",
    )
