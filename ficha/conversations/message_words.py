"""What a person wrote, as words for an agent, from the message as it came."""

from collections.abc import Callable, Mapping
from typing import Any

MAP = "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}"
# What each kind of message is called at the desk.
KINDS = {
    "text": "Texto",
    "image": "Imagen",
    "video": "Video",
    "audio": "Audio",
    "document": "Documento",
    "sticker": "Sticker",
    "location": "Ubicación",
    "contacts": "Contacto",
    "button": "Botón",
    "interactive": "Botón",
    "reaction": "Reacción",
    "order": "Pedido",
    "system": "Aviso de WhatsApp",
    "edit": "Edición",
    "revoke": "Mensaje borrado",
    "unsupported": "Mensaje que WhatsApp no muestra",
    "unknown": "Mensaje que WhatsApp no muestra",
}


def words_of(raw: Mapping[str, Any], kind: str) -> str:
    """A text as it was written; all else begins with its kind in brackets."""
    part = raw.get(kind)
    if kind == "text":
        return _text(part, "body") or kind_words(kind)
    return " ".join(filter(None, (kind_words(kind), _said(part, kind))))


def kind_words(kind: str) -> str:
    return f"[{KINDS.get(kind, kind)}]"


def _said(part: Any, kind: str) -> str:
    """What such a message says, from its part under its kind; empty where that says nothing."""
    say = SAID.get(kind)
    return say(part) if say else _joined(_text(part, "filename"), _text(part, "caption"))


def _chosen(part: Any) -> str:
    """The button that was pressed, or the line of a list."""
    reply = _inner(part, _text(part, "type"))
    return _joined(_text(reply, "title"), _text(reply, "description"), _text(reply, "body"))


def _place(part: Any) -> str:
    return _joined(_text(part, "name"), _text(part, "address"), _map(part))


def _edited(part: Any) -> str:
    new = _inner(part, "message")
    kind = _text(new, "type")
    return words_of(new, kind) if isinstance(new, Mapping) and kind != "edit" else ""


def _map(part: Any) -> str:
    at = [_inner(part, name) for name in ("latitude", "longitude")]
    is_known = all(isinstance(each, int | float) for each in at)
    return MAP.format(latitude=at[0], longitude=at[1]) if is_known else ""


def _cards(part: Any) -> str:
    return "; ".join(_card(card) for card in part) if isinstance(part, list) else ""


def _card(card: Any) -> str:
    """The name and all numbers and mailboxes of a contact card."""
    name = _text(_inner(card, "name"), "formatted_name")
    numbers = [_text(each, "phone") or _text(each, "wa_id") for each in _list(card, "phones")]
    ways = ", ".join(filter(None, (*numbers, *(_text(each, "email") for each in _list(card, "emails")))))
    return f"{name}: {ways}" if name and ways else name or ways


def _inner(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else None


def _list(part: Any, name: str) -> list[Any]:
    found = _inner(part, name)
    return found if isinstance(found, list) else []


def _text(part: Any, name: str) -> str:
    value = _inner(part, name)
    return value if isinstance(value, str) else ""


def _joined(*words: str) -> str:
    return " · ".join(filter(None, words))


SAID: Mapping[str, Callable[[Any], str]] = {
    "button": lambda part: _text(part, "text"),
    "interactive": _chosen,
    "location": _place,
    "contacts": _cards,
    "reaction": lambda part: _text(part, "emoji") or "quitada",
    "edit": _edited,
    "system": lambda part: _text(part, "body"),
}
