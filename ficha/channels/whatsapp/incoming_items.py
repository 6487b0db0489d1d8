"""Reads one message or one status of a notification. Raises Malformed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from ficha.channels.messages import (
    Author,
    DeliveryStatus,
    FileRef,
    Incoming,
    Location,
    NotificationItem,
    OtherItem,
    StatusUpdate,
)
from ficha.channels.whatsapp.json_checks import LATEST, Malformed, dict_in, hex_hash, list_in, number_in, text_in

# The number that the platform's dashboard uses to try a webhook.
DASHBOARD_NUMBER_ID = "123456123"
FILES = frozenset({"image", "video", "audio", "document", "sticker"})
# Where the words of a message are, if it has any.
WORDS_AT = {"reaction": "emoji", "order": "text"} | dict.fromkeys(FILES, "caption")
DELIVERY_STATUSES: Mapping[str, DeliveryStatus] = {each.value: each for each in DeliveryStatus} | {
    "played": DeliveryStatus.READ
}
# What the platform writes in the name of somebody who has another number now; the second one until 2025.
NUMBER_CHANGES = ("user_changed_number", "customer_changed_number")
NEW_NUMBER = re.compile(r"\+?([0-9]{5,20})")


@dataclass(frozen=True)
class NotificationContext:
    """What the messages of one notification share: our number, and the people in it."""

    phone_number_id: str | None
    contacts: Sequence[Author]
    author_count: int

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> "NotificationContext":
        contacts = [contact for contact in list_in(value.get("contacts")) if isinstance(contact, dict)]
        messages = [message for message in list_in(value.get("messages")) if isinstance(message, dict)]
        return cls(
            text_in(dict_in(value.get("metadata")).get("phone_number_id")),
            [
                Author(
                    text_in(contact.get("wa_id")),
                    text_in(contact.get("user_id")),
                    text_in(dict_in(contact.get("profile")).get("name")),
                )
                for contact in contacts
            ],
            len({(text_in(message.get("from")), text_in(message.get("from_user_id"))) for message in messages}),
        )

    def author(self, message: Mapping[str, Any]) -> Author:
        """Who wrote a message. Where the contact's number differs from the one in the message, the contact's counts."""
        number, user_id = text_in(message.get("from")), text_in(message.get("from_user_id"))
        known = self._contact(number, user_id)
        author = Author(known.wa_id or number, known.user_id or user_id, known.name)
        if author.wa_id is None and author.user_id is None:
            raise Malformed("no sender")
        return author

    def _contact(self, number: str | None, user_id: str | None) -> Author:
        for contact in self.contacts:
            if (number and contact.wa_id == number) or (user_id and contact.user_id == user_id):
                return contact
        # A single contact is the single author, even if the number is written in another way.
        alone = len(self.contacts) == 1 and self.author_count == 1
        return self.contacts[0] if alone else Author(None, None)

    @property
    def number_id(self) -> str:
        if self.phone_number_id is None:
            raise Malformed("no phone_number_id")
        return self.phone_number_id


def read_message(item: Mapping[str, Any], context: NotificationContext) -> NotificationItem:
    kind = _required(item, "type")
    content = dict_in(item.get(kind))
    words, payload = _words(kind, content)
    # A reaction answers a message too, but names it in another place.
    reply_to = text_in(dict_in(item.get("context")).get("id"))
    if kind == "reaction":
        reply_to = _required(content, "message_id")
    author, moved_to = context.author(item), _new_number(content) if kind == "system" else None
    if moved_to is not None:  # It is about the number that she had.
        author = replace(author, wa_id=text_in(item.get("from")) or author.wa_id)
    return Incoming(
        provider_id=_required(item, "id"),
        phone_number_id=context.number_id,
        author=author,
        at=time_of(item),
        type=kind,
        words=words,
        payload=payload,
        reply_to=reply_to,
        file=_file(content) if kind in FILES else None,
        raw=item,
        location=_location(content) if kind == "location" else None,
        is_test=context.phone_number_id == DASHBOARD_NUMBER_ID,
        edits=text_in(content.get("original_message_id")) if kind in ("edit", "revoke") else None,
        moved_to=moved_to,
    )


def _new_number(content: Mapping[str, Any]) -> str | None:
    """The number, in digits, that somebody has from now on."""
    if content.get("type") not in NUMBER_CHANGES:
        return None
    found = NEW_NUMBER.fullmatch(text_in(content.get("wa_id")) or text_in(content.get("new_wa_id")) or "")
    return found[1] if found else None


def read_status(item: Mapping[str, Any], context: NotificationContext) -> NotificationItem:
    name = _required(item, "status")
    if name not in DELIVERY_STATUSES:
        return OtherItem("status", item)
    error = dict_in(next(iter(list_in(item.get("errors"))), None))
    return StatusUpdate(
        provider_id=_required(item, "id"),
        phone_number_id=context.number_id,
        status=DELIVERY_STATUSES[name],
        at=time_of(item),
        key=text_in(item.get("biz_opaque_callback_data")),
        wa_id=text_in(item.get("recipient_id")),
        user_id=text_in(item.get("recipient_user_id")),
        error_code=number_in(error.get("code")),
    )


def _words(kind: str, content: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """What a person wrote, and the payload of a button."""
    if kind == "text":
        return _required(content, "body", blank=True), None
    if kind == "button":
        return _required(content, "text", blank=True), text_in(content.get("payload"))
    if kind == "interactive":
        reply = dict_in(content.get(str(content.get("type"))))
        return text_in(reply.get("title")) or text_in(reply.get("body")), text_in(reply.get("id"))
    if kind == "edit":
        return text_in(dict_in(dict_in(content.get("message")).get("text")).get("body")), None
    if kind in WORDS_AT:
        return text_in(content.get(WORDS_AT[kind])), None
    return None, None


def _file(content: Mapping[str, Any]) -> FileRef:
    return FileRef(
        media_id=_required(content, "id"),
        mime_type=text_in(content.get("mime_type")) or "application/octet-stream",
        sha256=hex_hash(content.get("sha256")),
        filename=text_in(content.get("filename")),
    )


def _location(content: Mapping[str, Any]) -> Location:
    latitude, longitude = _degrees(content.get("latitude"), 90), _degrees(content.get("longitude"), 180)
    return Location(latitude, longitude, text_in(content.get("name")), text_in(content.get("address")))


def _degrees(value: Any, most: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > most:
        raise Malformed("a location that is not on Earth")
    return float(value)


def time_of(item: Mapping[str, Any]) -> datetime:
    """From Unix seconds, which the platform writes as text. A number is read too. What no clock can show is the nearest
    that one can: a message is worth more than its time."""
    text = str(item.get("timestamp"))
    if not re.fullmatch(r"-?[0-9]{1,40}", text):
        raise Malformed("no timestamp")
    return datetime.fromtimestamp(min(max(int(text), 0), LATEST), UTC)


def _required(item: Mapping[str, Any], name: str, *, blank: bool = False) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not (value or blank):
        raise Malformed(f"no {name}")
    return value
