"""Checks each type of message of the business as the platform does, and makes what the person sees of it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter
from ficha.sandbox.whatsapp.interactive import read_interactive

_MEDIA_FIELDS = {
    "image": {"id", "link", "caption"},
    "video": {"id", "link", "caption"},
    "document": {"id", "link", "caption", "filename"},
    "audio": {"id", "link", "voice"},
    "sticker": {"id", "link"},
}


@dataclass(frozen=True)
class CheckedMessage:
    """A message without errors, as the chat shows it. `files` are the media it names: type, path in the request, and
    the object with its `id` or `link`."""

    text: str
    buttons: list[dict[str, str]] = field(default_factory=list)
    location: dict[str, Any] | None = None
    media: dict[str, Any] | None = None
    files: tuple[tuple[str, str, Mapping[str, Any]], ...] = ()


def check_message(kind: str, body: Mapping[str, Any]) -> CheckedMessage:
    """Raises GraphError for what the platform would refuse."""
    check = _CHECKS.get(kind)
    if check is None:
        raise GraphError(131051, f"Message type {kind} is not supported.")
    content = body.get(kind)
    if content is None:
        raise GraphError(131008, f"Parameter '{kind}' is mandatory for type '{kind}'")
    return check(kind, content)


def check_reference(path: str, content: Mapping[str, Any]) -> None:
    """Raises GraphError unless a file is named by id or by link, and not by both."""
    has_id, has_link = bool(content.get("id")), bool(content.get("link"))
    if has_id == has_link:
        raise invalid_parameter(f"Param {path} must have exactly one of id or link.")
    if has_link:
        parts = urlsplit(str(content["link"]))
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise GraphError(131009, f"Param {path}['link'] is not a valid URI.")


def _text(_kind: str, content: Any) -> CheckedMessage:
    body = content.get("body") if isinstance(content, dict) else None
    if not isinstance(body, str) or not body.strip():
        raise invalid_parameter("The parameter text['body'] is required.")
    if len(body) > 4096:
        raise invalid_parameter("Param text['body'] must be at most 4096 characters long.")
    if not isinstance(content.get("preview_url", False), bool):
        raise invalid_parameter("Param text['preview_url'] must be a boolean.")
    return CheckedMessage(body)


def _media(kind: str, content: Any) -> CheckedMessage:
    if not isinstance(content, dict):
        raise invalid_parameter(f"Param {kind} must be a JSON object.")
    if extra := sorted(set(content) - _MEDIA_FIELDS[kind]):
        raise invalid_parameter(f'Unexpected key "{extra[0]}" on param {kind}.')
    check_reference(kind, content)
    caption = content.get("caption", "")
    if not isinstance(caption, str) or len(caption) > 1024:
        raise invalid_parameter(f"Param {kind}['caption'] must be at most 1024 characters long.")
    shown = {name: content[name] for name in ("id", "link", "caption", "filename", "voice") if name in content}
    words = caption or str(content.get("filename", ""))
    return CheckedMessage(words, media={"kind": kind} | shown, files=((kind, kind, content),))


def _location(_kind: str, content: Any) -> CheckedMessage:
    if not isinstance(content, dict):
        raise invalid_parameter("Param location must be a JSON object.")
    location: dict[str, Any] = {}
    for name, short, largest in (("latitude", "lat", 90), ("longitude", "lng", 180)):
        if content.get(name) is None:
            raise GraphError(131008, f"Parameter '{name}' is mandatory for type 'location'")
        location[short] = _coordinate(name, content[name], largest)
    location |= {name: content.get(name) for name in ("name", "address")}
    words = ", ".join(str(location[name]) for name in ("name", "address") if location[name])
    return CheckedMessage(words or f"{location['lat']}, {location['lng']}", location=location)


def _coordinate(name: str, value: Any, largest: int) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not abs(number) <= largest:
        raise GraphError(131009, f"Param location['{name}'] must be between -{largest} and {largest}.")
    return number


def _contacts(_kind: str, content: Any) -> CheckedMessage:
    if not isinstance(content, list) or not content:
        raise invalid_parameter("Param contacts must be a non-empty array.")
    names = []
    for card in content:
        name = card.get("name") if isinstance(card, dict) else None
        if not isinstance(name, dict) or not name.get("formatted_name"):
            raise GraphError(131008, "Parameter 'name.formatted_name' is mandatory for type 'contacts'")
        names.append(str(name["formatted_name"]))
    return CheckedMessage(", ".join(names))


def _reaction(_kind: str, content: Any) -> CheckedMessage:
    if not isinstance(content, dict) or not isinstance(content.get("message_id"), str):
        raise GraphError(131008, "Parameter 'message_id' is mandatory for type 'reaction'")
    if not isinstance(content.get("emoji"), str):
        raise GraphError(131008, "Parameter 'emoji' is mandatory for type 'reaction'")
    return CheckedMessage(content["emoji"])


def _interactive(_kind: str, content: Any) -> CheckedMessage:
    if not isinstance(content, dict):
        raise invalid_parameter("Param interactive must be a JSON object.")
    text, buttons = read_interactive(content)
    header = content.get("header") or {}
    kind = header.get("type") if isinstance(header, dict) else None
    if kind in ("image", "video", "document"):
        check_reference(f"interactive['header']['{kind}']", header.get(kind) or {})
        return CheckedMessage(text, buttons, files=((kind, f"interactive['header']['{kind}']", header[kind]),))
    return CheckedMessage(text, buttons)


_CHECKS: dict[str, Callable[[str, Any], CheckedMessage]] = {
    "text": _text,
    **dict.fromkeys(_MEDIA_FIELDS, _media),
    "location": _location,
    "contacts": _contacts,
    "reaction": _reaction,
    "interactive": _interactive,
}
