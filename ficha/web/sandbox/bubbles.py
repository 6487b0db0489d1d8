"""One message on a phone's screen."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from urllib.parse import urlsplit

# Failed stands below delivered: what has reached the person did not fail, whatever was said in between.
RANK = ("accepted", "sent", "failed", "delivered", "read", "played")
CAN_STILL_FAIL = ("accepted", "sent")
MARKS = {"accepted": "·", "sent": "✓", "failed": "✗"}
QUOTED = 80
LINKS = ("http", "https", "tel")


@dataclass(frozen=True)
class Press:
    """A button under a message. `answer` is the type of message that pressing it sends back, with `payload`."""

    kind: Literal["answer", "link", "place", "label"]
    title: str
    more: str = ""
    answer: str = ""
    payload: str = ""
    url: str = ""


@dataclass(frozen=True)
class Bubble:
    """`day` is set on the first message of a day. `state` is how far it came: of theirs, `read` or nothing."""

    id: str
    is_ours: bool
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
    place: Mapping[str, Any] | None
    file: Mapping[str, Any] | None
    buttons: Sequence[Press]
    raw: str


def bubbles_of(messages: Sequence[Mapping[str, Any]], most: int) -> list[Bubble]:
    """The newest of a chat, oldest first."""
    texts = {str(message["id"]): str(message["text"]) for message in messages}
    found: list[Bubble] = []
    day = ""
    for message in messages[-most:]:
        at = datetime.fromisoformat(message["at"])
        today = f"{at:%Y-%m-%d}"
        found.append(_bubble(message, at, "" if today == day else today, texts))
        day = today
    return found


def _bubble(message: Mapping[str, Any], at: datetime, day: str, texts: Mapping[str, str]) -> Bubble:
    is_ours = message["direction"] == "out"
    state = _state(message) if is_ours else "read" if message["read_by_business"] else ""
    raw = message["raw"]
    template = raw.get("template", {}) if message["type"] == "template" else {}
    return Bubble(
        id=message["id"],
        is_ours=is_ours,
        kind=message["type"],
        template=str(template.get("name", "")),
        quoted=_quoted(raw, texts),
        text=_text(message),
        at=at,
        day=day,
        state=state,
        mark=MARKS.get(state, "✓✓") if state else "",
        code=_code(message) if state == "failed" else None,
        can_fail=is_ours and state in CAN_STILL_FAIL,
        place=message["location"],
        file=_file(message["media"]),
        # What never arrived cannot be pressed.
        buttons=[] if state == "failed" else [_press(message, button) for button in message["buttons"]],
        raw=json.dumps(message, ensure_ascii=False, indent=2),
    )


def _text(message: Mapping[str, Any]) -> str:
    """Nothing where it would only repeat the place or the name of the file."""
    media = message["media"] or {}
    is_said = message["type"] == "location" or message["text"] == media.get("filename")
    return "" if is_said else str(message["text"])


def _state(message: Mapping[str, Any]) -> str:
    """News comes in any order, so the furthest counts."""
    return max((note["status"] for note in message["statuses"]), key=RANK.index, default="accepted")


def _code(message: Mapping[str, Any]) -> int | None:
    failed = [note for note in message["statuses"] if note["status"] == "failed"]
    return int(failed[-1]["error"]["code"]) if failed else None


def _quoted(raw: Mapping[str, Any], texts: Mapping[str, str]) -> str:
    """The beginning of what it answers. Both directions name it, each in its own way."""
    context = raw.get("context") or {}
    text = texts.get(str(context.get("id") or context.get("message_id")), "")
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"


def _press(message: Mapping[str, Any], button: Mapping[str, str]) -> Press:
    title = button["title"]
    match button["kind"]:
        case "quick_reply" | "list_row":
            answer = "button" if message["type"] == "template" else "interactive"
            return Press("answer", title, button.get("description", ""), answer, button["payload"])
        case "location_request":
            return Press("place", title)
        case "url" if _is_link(button["url"]):
            return Press("link", title, url=button["url"])
    return Press("label", title, button.get("url", ""))


def _file(media: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if media is None:
        return None
    url = str(media.get("url") or media.get("link") or "")
    return {"kind": media["kind"], "name": media.get("filename", ""), "url": url if _is_link(url) else ""}


def _is_link(url: str) -> bool:
    """Nothing that a browser would run."""
    try:
        return urlsplit(url).scheme in LINKS
    except ValueError:
        return False
