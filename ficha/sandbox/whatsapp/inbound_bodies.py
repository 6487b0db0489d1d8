"""The body of a message that a person sends, made for each type from a few plain fields."""

import base64
import binascii
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ficha.sandbox.whatsapp import sample_files
from ficha.sandbox.whatsapp.chats import ChatMessage
from ficha.sandbox.whatsapp.errors import webhook_error
from ficha.sandbox.whatsapp.media import RECEIVED_DAYS
from ficha.sandbox.whatsapp.numbers import CATALOG_ID, Number
from ficha.sandbox.whatsapp.people import Person
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform


class BadMessage(ValueError):
    """The fields do not make a message that a person could send."""


@dataclass(frozen=True)
class InboundMessage:
    """What a body is made from: `given` are the plain fields, `replied_to` the message they answer."""

    platform: WhatsAppPlatform
    number: Number
    person: Person
    given: Mapping[str, Any]
    replied_to: ChatMessage | None

    def field(self, name: str, default: Any = None) -> Any:
        value = self.given.get(name)
        return default if value is None else value


# The body under the type's own key, and its text as the chat shows it.
Body = tuple[dict[str, Any], str]


def _text(message: InboundMessage) -> Body:
    text = message.field("text", message.field("body", ""))
    body = str(text.get("body", "") if isinstance(text, dict) else text)
    if not body:
        raise BadMessage("`text` is what the person wrote.")
    return {"text": {"body": body}}, body


def _media(kind: str) -> Callable[[InboundMessage], Body]:
    def make(message: InboundMessage) -> Body:
        platform, given = message.platform, message.given
        if isinstance(given.get(kind), dict):
            return {kind: given[kind]}, str(given[kind].get("caption", ""))
        mime, sample = sample_files.FILES[kind]
        try:
            content = base64.b64decode(given["data"], validate=True) if given.get("data") else sample
        except (binascii.Error, TypeError):
            raise BadMessage("`data` is the file in base64.") from None
        name = message.field("filename", "documento.pdf" if kind == "document" else None)
        until = platform.now() + timedelta(days=RECEIVED_DAYS)
        file = platform.media.keep(message.number.id, message.field("mime_type", mime), content, until, name)
        body: dict[str, Any] = {"id": file.id, "mime_type": file.mime_type, "sha256": file.base64}
        body["url"] = platform.media.url(file, platform.url, platform.now())
        if kind in ("image", "video", "document") and given.get("caption"):
            body["caption"] = str(given["caption"])
        if kind == "document":
            body["filename"] = name
        if kind == "audio":
            body["voice"] = bool(message.field("voice", True))
        if kind == "sticker":
            body["animated"] = bool(message.field("animated", False))
        return {kind: body}, str(body.get("caption") or body.get("filename") or "")

    return make


def _location(message: InboundMessage) -> Body:
    inner = message.given.get("location")
    given = inner if isinstance(inner, dict) else message.given
    try:
        location: dict[str, Any] = {name: float(given[name]) for name in ("latitude", "longitude")}
    except (KeyError, TypeError, ValueError):
        raise BadMessage("`latitude` and `longitude` are numbers.") from None
    # `name` is the person's, unless the location has an object of its own.
    names = {"name": given.get("name") if given is inner else given.get("place")}
    names |= {name: given.get(name) for name in ("address", "url")}
    location |= {name: str(value) for name, value in names.items() if value}
    words = ", ".join(location[name] for name in ("name", "address") if name in location)
    return {"location": location}, words or f"{location['latitude']}, {location['longitude']}"


def _contacts(message: InboundMessage) -> Body:
    cards = message.given.get("contacts")
    if not isinstance(cards, list) or not cards:
        name, phone = message.field("contact_name", "Luis Pérez"), message.field("contact_phone", "+58 412-555-0134")
        digits = "".join(c for c in phone if c.isdigit())
        cards = [{"name": {"formatted_name": name, "first_name": name}, "phones": [{"phone": phone, "wa_id": digits}]}]
    names = [str(card.get("name", {}).get("formatted_name", "")) for card in cards]
    return {"contacts": cards}, ", ".join(names)


def _button(message: InboundMessage) -> Body:
    inner = message.given.get("button")
    text = str(inner.get("text", "") if isinstance(inner, dict) else message.field("text", ""))
    payload = inner.get("payload") if isinstance(inner, dict) else message.given.get("payload")
    pressed = _pressed(message, text, payload)
    if not pressed.get("title"):
        raise BadMessage("`text` is the label of the button.")
    return {"button": {"payload": pressed["payload"], "text": pressed["title"]}}, pressed["title"]


def _interactive(message: InboundMessage) -> Body:
    inner = message.given.get("interactive")
    if isinstance(inner, dict):
        reply = inner.get(str(inner.get("type")), {})
        return {"interactive": inner}, str(reply.get("title") or reply.get("body") or "")
    pressed = _pressed(message, str(message.field("title", "")), message.given.get("payload"))
    is_row = pressed.get("kind") == "list_row" or "description" in message.given
    kind = "list_reply" if is_row else "button_reply"
    reply = {"id": pressed["payload"], "title": pressed["title"]}
    if is_row and (description := message.field("description", pressed.get("description"))):
        reply["description"] = str(description)
    return {"interactive": {"type": kind, kind: reply}}, pressed["title"]


def _pressed(message: InboundMessage, title: str, payload: str | None) -> dict[str, str]:
    """The button of the message replied to, found by its label or its payload."""
    buttons = message.replied_to.buttons if message.replied_to else []
    for button in buttons:
        if "payload" in button and (button["payload"] == payload or (payload is None and button["title"] == title)):
            return button
    return {"title": title or str(payload or ""), "payload": str(payload or title)}


def _reaction(message: InboundMessage) -> Body:
    inner = message.given.get("reaction")
    given = inner if isinstance(inner, dict) else message.given
    target = given.get("message_id") or message.given.get("reply_to")
    if not target:
        raise BadMessage("`message_id` is what the person reacts to.")
    emoji = given.get("emoji")
    return {"reaction": {"message_id": str(target)} | ({"emoji": str(emoji)} if emoji else {})}, str(emoji or "")


def _order(message: InboundMessage) -> Body:
    item = {"product_retailer_id": "pulsera-qr", "quantity": 1, "item_price": 12.5, "currency": "USD"}
    order = {"catalog_id": CATALOG_ID, "text": "", "product_items": [item]}
    return {"order": message.field("order", order)}, "Pedido"


def _system(message: InboundMessage) -> Body:
    """By default, that a person changed their number."""
    person = message.person
    kind = str(message.field("system_type", "user_changed_number"))
    system: dict[str, Any] = {"type": kind}
    extra: dict[str, Any] = {}
    if kind == "user_changed_user_id":
        system |= {"body": f"User {person.name} changed their user id", "user_id": person.user_id}
    elif kind == "customer_identity_changed":
        system |= {"body": f"User {person.name} changed their identity", "customer": person.key}
        stamp = int(message.platform.now().timestamp())
        extra["identity"] = {"acknowledged": False, "created_timestamp": str(stamp), "hash": person.identity_key_hash}
    else:
        new = str(message.field("new_wa_id", "12195555358"))
        system |= {"body": f"User {person.name} changed from {person.key} to {new}", "wa_id": new}
    system |= message.given["system"] if isinstance(message.given.get("system"), dict) else {}
    return {"system": system, **extra}, str(system["body"])


def _unsupported(message: InboundMessage) -> Body:
    error = webhook_error(131051)
    del error["href"]
    what = {"unsupported": {"type": str(message.given["what"])}} if message.given.get("what") else {}
    return {"errors": [error], **what}, "Mensaje que la plataforma no muestra"


def _edit(message: InboundMessage) -> Body:
    original = str(message.field("original_message_id", ""))
    text = str(message.field("text", ""))
    if not original or not text:
        raise BadMessage("`original_message_id` and `text` say what was edited.")
    edited = {"type": "text", "id": original, "text": {"body": text}}
    return {"edit": {"original_message_id": original, "message": edited}}, text


def _revoke(message: InboundMessage) -> Body:
    original = str(message.field("original_message_id", ""))
    if not original:
        raise BadMessage("`original_message_id` says what was taken back.")
    return {"revoke": {"original_message_id": original}}, "Mensaje eliminado"


BUILDERS: dict[str, Callable[[InboundMessage], Body]] = {
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
