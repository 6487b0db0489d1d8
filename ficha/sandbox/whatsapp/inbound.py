"""A person writes: every type of message the platform passes on, made from a few plain fields."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ficha.sandbox.whatsapp import notifications, sample_files
from ficha.sandbox.whatsapp.chats import ChatMessage, new_wamid
from ficha.sandbox.whatsapp.errors import webhook_error
from ficha.sandbox.whatsapp.media import RECEIVED_DAYS
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.people import NotAPerson, Person
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform


class BadMessage(ValueError):
    """What was asked for is not a message a person could send."""


@dataclass(frozen=True)
class _Writing:
    """What goes into making one message."""

    platform: WhatsAppPlatform
    number: Number
    person: Person
    given: Mapping[str, Any]
    answered: ChatMessage | None

    def field(self, name: str, default: Any = None) -> Any:
        value = self.given.get(name)
        return default if value is None else value


# The body under the type's own key, and how it reads in the chat.
_Made = tuple[dict[str, Any], str]


def receive(platform: WhatsAppPlatform, given: object) -> ChatMessage:
    """`from` and `type`, and the fields of that type; the notification goes out at once."""
    if not isinstance(given, dict) or not isinstance(given.get("from"), str):
        raise BadMessage("`from` is a number or a user id.")
    kind = str(given.get("type", "text"))
    if kind not in _WRITERS:
        raise BadMessage(f"`type` is one of: {', '.join(sorted(_WRITERS))}.")
    try:
        person = platform.people.with_id(given["from"])
    except NotAPerson:
        raise BadMessage("`from` is a number or a user id.") from None
    if given.get("name"):
        person.name = str(given["name"])
    if given.get("username"):
        person.username = str(given["username"])
    number = platform.numbers.get(str(given.get("phone_number_id", platform.config.phone_number_id)))
    if number is None:
        raise BadMessage("There is no such `phone_number_id`.")
    reply_to = given.get("reply_to")
    writing = _Writing(platform, number, person, given, platform.chats.messages.get(str(reply_to)))
    try:
        body, text = _WRITERS[kind](writing)
    except (AttributeError, KeyError, TypeError) as fault:
        # The parts of a message may be given whole, in any shape; only some shapes make sense.
        raise BadMessage(f"The fields of a message of type {kind} are not understood: {fault}") from None
    now = platform.now()
    raw = notifications.sender(person, platform.behaviour) | {
        "id": str(given.get("id") or new_wamid(person, "in")),
        "timestamp": notifications.stamp(now),
        "type": kind,
    }
    if reply_to and kind != "reaction":
        raw["context"] = {"from": number.digits, "id": str(reply_to)}
    for name in ("context", "referral", "errors"):
        if name in given:
            raw[name] = given[name]
    message = ChatMessage(
        id=raw["id"],
        direction="in",
        person=person,
        phone_number_id=number.id,
        type=kind,
        at=now,
        text=text,
        raw=raw | body,
        location=_place(body.get("location")),
        media=_shown_media(platform, kind, body.get(kind)),
    )
    platform.chats.add(message)
    # News from the system is not the person writing.
    if kind != "system":
        person.last_inbound_at = now
    platform.notify(notifications.inbound(number, person, message.raw, platform.behaviour), number, person.key)
    platform.mark_changed()
    return message


def _text(writing: _Writing) -> _Made:
    text = writing.field("text", writing.field("body", ""))
    body = str(text.get("body", "") if isinstance(text, dict) else text)
    if not body:
        raise BadMessage("`text` is what the person wrote.")
    return {"text": {"body": body}}, body


def _media(kind: str) -> Callable[[_Writing], _Made]:
    def make(writing: _Writing) -> _Made:
        platform, given = writing.platform, writing.given
        if isinstance(given.get(kind), dict):
            return {kind: given[kind]}, str(given[kind].get("caption", ""))
        mime, sample = sample_files.FILES[kind]
        try:
            content = base64.b64decode(given["data"], validate=True) if given.get("data") else sample
        except (binascii.Error, TypeError):
            raise BadMessage("`data` is the file in base64.") from None
        name = writing.field("filename", "documento.pdf" if kind == "document" else None)
        until = platform.now() + timedelta(days=RECEIVED_DAYS)
        file = platform.media.keep(writing.number.id, writing.field("mime_type", mime), content, until, name)
        body: dict[str, Any] = {"id": file.id, "mime_type": file.mime_type, "sha256": file.base64}
        body["url"] = platform.media.url(file, platform.url, platform.now())
        if kind in ("image", "video", "document") and given.get("caption"):
            body["caption"] = str(given["caption"])
        if kind == "document":
            body["filename"] = name
        if kind == "audio":
            body["voice"] = bool(writing.field("voice", True))
        if kind == "sticker":
            body["animated"] = bool(writing.field("animated", False))
        return {kind: body}, str(body.get("caption") or body.get("filename") or "")

    return make


def _location(writing: _Writing) -> _Made:
    inner = writing.given.get("location")
    given = inner if isinstance(inner, dict) else writing.given
    try:
        place: dict[str, Any] = {name: float(given[name]) for name in ("latitude", "longitude")}
    except (KeyError, TypeError, ValueError):
        raise BadMessage("`latitude` and `longitude` are numbers.") from None
    # `name` is the person's, unless the place has an object of its own.
    names = {"name": given.get("name") if given is inner else given.get("place")}
    names |= {name: given.get(name) for name in ("address", "url")}
    place |= {name: str(value) for name, value in names.items() if value}
    words = ", ".join(place[name] for name in ("name", "address") if name in place)
    return {"location": place}, words or f"{place['latitude']}, {place['longitude']}"


def _contacts(writing: _Writing) -> _Made:
    cards = writing.given.get("contacts")
    if not isinstance(cards, list) or not cards:
        name, phone = writing.field("contact_name", "Luis Pérez"), writing.field("contact_phone", "+58 412-555-0134")
        digits = "".join(c for c in phone if c.isdigit())
        cards = [{"name": {"formatted_name": name, "first_name": name}, "phones": [{"phone": phone, "wa_id": digits}]}]
    names = [str(card.get("name", {}).get("formatted_name", "")) for card in cards]
    return {"contacts": cards}, ", ".join(names)


def _button(writing: _Writing) -> _Made:
    inner = writing.given.get("button")
    text = str(inner.get("text", "") if isinstance(inner, dict) else writing.field("text", ""))
    payload = inner.get("payload") if isinstance(inner, dict) else writing.given.get("payload")
    pressed = _pressed(writing, text, payload)
    if not pressed.get("title"):
        raise BadMessage("`text` is the label of the button.")
    return {"button": {"payload": pressed["payload"], "text": pressed["title"]}}, pressed["title"]


def _interactive(writing: _Writing) -> _Made:
    inner = writing.given.get("interactive")
    if isinstance(inner, dict):
        reply = inner.get(str(inner.get("type")), {})
        return {"interactive": inner}, str(reply.get("title") or reply.get("body") or "")
    pressed = _pressed(writing, str(writing.field("title", "")), writing.given.get("payload"))
    is_row = pressed.get("kind") == "list_row" or "description" in writing.given
    kind = "list_reply" if is_row else "button_reply"
    reply = {"id": pressed["payload"], "title": pressed["title"]}
    if is_row and (description := writing.field("description", pressed.get("description"))):
        reply["description"] = str(description)
    return {"interactive": {"type": kind, kind: reply}}, pressed["title"]


def _pressed(writing: _Writing, title: str, payload: str | None) -> dict[str, str]:
    """The button of the message answered to, found by its label or by what it carries."""
    buttons = writing.answered.buttons if writing.answered else []
    for button in buttons:
        if "payload" in button and (button["payload"] == payload or (payload is None and button["title"] == title)):
            return button
    return {"title": title or str(payload or ""), "payload": str(payload or title)}


def _reaction(writing: _Writing) -> _Made:
    inner = writing.given.get("reaction")
    given = inner if isinstance(inner, dict) else writing.given
    target = given.get("message_id") or writing.given.get("reply_to")
    if not target:
        raise BadMessage("`message_id` is what the person reacts to.")
    emoji = given.get("emoji")
    return {"reaction": {"message_id": str(target)} | ({"emoji": str(emoji)} if emoji else {})}, str(emoji or "")


def _order(writing: _Writing) -> _Made:
    item = {"product_retailer_id": "pulsera-qr", "quantity": 1, "item_price": 12.5, "currency": "USD"}
    order = {"catalog_id": "194836987003835", "text": "", "product_items": [item]}
    return {"order": writing.field("order", order)}, "Pedido"


def _system(writing: _Writing) -> _Made:
    """By default, a person who changed their number; `identity` needs its own part."""
    person = writing.person
    kind = str(writing.field("system_type", "user_changed_number"))
    system: dict[str, Any] = {"type": kind}
    extra: dict[str, Any] = {}
    if kind == "user_changed_user_id":
        system |= {"body": f"User {person.name} changed their user id", "user_id": person.user_id}
    elif kind == "customer_identity_changed":
        system |= {"body": f"User {person.name} changed their identity", "customer": person.key}
        stamp = int(writing.platform.now().timestamp())
        extra["identity"] = {"acknowledged": False, "created_timestamp": str(stamp), "hash": person.identity_key_hash}
    else:
        new = str(writing.field("new_wa_id", "12195555358"))
        system |= {"body": f"User {person.name} changed from {person.key} to {new}", "wa_id": new}
    system |= writing.given["system"] if isinstance(writing.given.get("system"), dict) else {}
    return {"system": system, **extra}, str(system["body"])


def _unsupported(writing: _Writing) -> _Made:
    error = webhook_error(131051)
    del error["href"]
    what = {"unsupported": {"type": str(writing.given["what"])}} if writing.given.get("what") else {}
    return {"errors": [error], **what}, "Mensaje que la plataforma no muestra"


def _edit(writing: _Writing) -> _Made:
    original = str(writing.field("original_message_id", ""))
    text = str(writing.field("text", ""))
    if not original or not text:
        raise BadMessage("`original_message_id` and `text` say what was edited.")
    message = {"type": "text", "id": original, "text": {"body": text}}
    return {"edit": {"original_message_id": original, "message": message}}, text


def _revoke(writing: _Writing) -> _Made:
    original = str(writing.field("original_message_id", ""))
    if not original:
        raise BadMessage("`original_message_id` says what was taken back.")
    return {"revoke": {"original_message_id": original}}, "Mensaje eliminado"


def _place(location: Any) -> dict[str, Any] | None:
    if not isinstance(location, dict):
        return None
    named = {name: location.get(name) for name in ("name", "address")}
    return {"lat": location["latitude"], "lng": location["longitude"], **named}


def _shown_media(platform: WhatsAppPlatform, kind: str, body: Any) -> dict[str, Any] | None:
    if kind not in sample_files.FILES or not isinstance(body, dict):
        return None
    file = platform.media.files.get(str(body.get("id")))
    shown = {name: body[name] for name in ("id", "mime_type", "filename", "caption", "voice") if name in body}
    return {"kind": kind} | shown | ({"size": len(file.content), "sha256": file.hex} if file else {})


_WRITERS: dict[str, Callable[[_Writing], _Made]] = {
    "text": _text,
    **{kind: _media(kind) for kind in sample_files.FILES},
    "location": _location,
    "contacts": _contacts,
    "button": _button,
    "interactive": _interactive,
    "reaction": _reaction,
    "order": _order,
    "system": _system,
    "unsupported": _unsupported,
    "unknown": _unsupported,
    "edit": _edit,
    "revoke": _revoke,
}
