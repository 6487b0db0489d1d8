"""A person writes to the business: the message is kept in the chat and the business is notified."""

from typing import Any

from ficha.sandbox.whatsapp import notifications, sample_files
from ficha.sandbox.whatsapp.chats import ChatMessage, new_wamid
from ficha.sandbox.whatsapp.inbound_bodies import BUILDERS, BadMessage, InboundMessage
from ficha.sandbox.whatsapp.people import NotAPerson
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform


def receive(platform: WhatsAppPlatform, given: object) -> ChatMessage:
    """Takes `from`, `type` and the fields of that type, and notifies at once; raises BadMessage."""
    if not isinstance(given, dict) or not isinstance(given.get("from"), str):
        raise BadMessage("`from` is a number or a user id.")
    kind = str(given.get("type", "text"))
    if kind not in BUILDERS:
        raise BadMessage(f"`type` is one of: {', '.join(sorted(BUILDERS))}.")
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
    inbound = InboundMessage(platform, number, person, given, platform.chats.messages.get(str(reply_to)))
    try:
        body, text = BUILDERS[kind](inbound)
    except (AttributeError, KeyError, TypeError) as fault:
        # The parts of a message may be given whole, in any shape, of which not all make sense.
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
        location=_chat_location(body.get("location")),
        media=_chat_media(platform, kind, body.get(kind)),
    )
    if person.key in number.blocked:
        return message  # Sent, as far as the person sees; it reaches nobody.
    platform.chats.add(message)
    # The platform writes these in the person's name, so they do not open the window.
    if kind != "system":
        person.last_inbound_at = now
    platform.notify(notifications.inbound(number, person, message.raw, platform.behaviour), number, person.key)
    platform.mark_changed()
    return message


def _chat_location(location: Any) -> dict[str, Any] | None:
    if not isinstance(location, dict):
        return None
    named = {name: location.get(name) for name in ("name", "address")}
    return {"lat": location["latitude"], "lng": location["longitude"], **named}


def _chat_media(platform: WhatsAppPlatform, kind: str, body: Any) -> dict[str, Any] | None:
    if kind not in sample_files.FILES or not isinstance(body, dict):
        return None
    file = platform.media.files.get(str(body.get("id")))
    shown = {name: body[name] for name in ("id", "mime_type", "filename", "caption", "voice") if name in body}
    return {"kind": kind} | shown | ({"size": len(file.content), "sha256": file.hex} if file else {})
