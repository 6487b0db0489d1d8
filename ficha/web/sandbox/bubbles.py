"""A chat bubble: one message on a phone's screen."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

# `failed` comes before `delivered`: a message that reached the person did not fail, whatever other status came.
STATUS_ORDER = ("accepted", "sent", "failed", "delivered", "read", "played")
CAN_STILL_FAIL = ("accepted", "sent")
MARKS = {"accepted": "·", "sent": "✓", "failed": "✗"}
LONGEST_QUOTE = 80
LINK_SCHEMES = ("http", "https", "tel")


@dataclass(frozen=True)
class MessageButton:
    """A button under a message. `reply_type` is the type of the message that pressing it sends, with `payload`."""

    kind: Literal["reply", "link", "location", "label"]
    title: str
    description: str = ""
    reply_type: str = ""
    payload: str = ""
    url: str = ""


@dataclass(frozen=True)
class Bubble:
    """`day` is set on the first message of a day. `state` is the furthest status; of a message from the person, `read`
    or empty."""

    id: str
    is_from_business: bool
    kind: str
    template: str
    quoted: str
    text: str
    at: datetime
    day: str
    state: str
    mark: str
    code: int | None
    can_fail: bool
    location: Mapping[str, Any] | None
    file: Mapping[str, Any] | None
    buttons: Sequence[MessageButton]
    raw: str


def bubbles_of(messages: Sequence[Mapping[str, Any]], limit: int) -> list[Bubble]:
    """The newest messages of a chat, oldest first."""
    texts = {str(message["id"]): str(message["text"]) for message in messages}
    found: list[Bubble] = []
    day = ""
    for message in messages[-limit:]:
        at = datetime.fromisoformat(message["at"])
        today = f"{at:%Y-%m-%d}"
        found.append(_bubble(message, at, "" if today == day else today, texts))
        day = today
    return found


def _bubble(message: Mapping[str, Any], at: datetime, day: str, texts: Mapping[str, str]) -> Bubble:
    is_from_business = message["direction"] == "out"
    state = _state(message) if is_from_business else "read" if message["read_by_business"] else ""
    raw = message["raw"]
    template = raw.get("template", {}) if message["type"] == "template" else {}
    return Bubble(
        id=message["id"],
        is_from_business=is_from_business,
        kind=message["type"],
        template=str(template.get("name", "")),
        quoted=_quoted(raw, texts),
        text=_text(message),
        at=at,
        day=day,
        state=state,
        mark=MARKS.get(state, "✓✓") if state else "",
        code=_code(message) if state == "failed" else None,
        can_fail=is_from_business and state in CAN_STILL_FAIL,
        location=message["location"],
        file=_file(message["media"]),
        # Buttons of a message that never arrived cannot be pressed.
        buttons=[] if state == "failed" else [_button(message, button) for button in message["buttons"]],
        raw=json.dumps(message, ensure_ascii=False, indent=2),
    )


def _text(message: Mapping[str, Any]) -> str:
    """Empty where it would only repeat the location or the name of the file."""
    media = message["media"] or {}
    is_repeated = message["type"] == "location" or message["text"] == media.get("filename")
    return "" if is_repeated else str(message["text"])


def _state(message: Mapping[str, Any]) -> str:
    """Statuses come in any order, so the furthest counts."""
    return max((update["status"] for update in message["statuses"]), key=STATUS_ORDER.index, default="accepted")


def _code(message: Mapping[str, Any]) -> int | None:
    failed = [update for update in message["statuses"] if update["status"] == "failed"]
    return int(failed[-1]["error"]["code"]) if failed else None


def _quoted(raw: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """The beginning of the message it replies to, which the two directions name differently."""
    context = raw.get("context") or {}
    text = texts.get(str(context.get("id") or context.get("message_id")), "")
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def _button(message: Mapping[str, Any], button: Mapping[str, str]) -> MessageButton:
    title = button["title"]
    match button["kind"]:
        case "quick_reply" | "list_row":
            reply_type = "button" if message["type"] == "template" else "interactive"
            return MessageButton("reply", title, button.get("description", ""), reply_type, button["payload"])
        case "location_request":
            return MessageButton("location", title)
        case "url" if _is_link(button["url"]):
            return MessageButton("link", title, url=button["url"])
    return MessageButton("label", title, button.get("url", ""))


def _file(media: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if media is None:
        return None
    url = str(media.get("url") or media.get("link") or "")
    return {"kind": media["kind"], "name": media.get("filename", ""), "url": url if _is_link(url) else ""}


def _is_link(url: str) -> bool:
    """Not for an address that a browser would run, such as `javascript:`."""
    try:
        return urlsplit(url).scheme in LINK_SCHEMES
    except ValueError:
        return False
