"""One message, one status: the platform's object in our words, or Malformed."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ficha.channels.messages import Event, FileRef, Incoming, Location, Other, Progress, Sender, Status
from ficha.channels.whatsapp.json_checks import UNSPEAKABLE, Malformed, hex_hash

# The number under which the platform's dashboard tries a webhook.
DASHBOARD_NUMBER_ID = "123456123"
FILES = frozenset({"image", "video", "audio", "document", "sticker"})
PROGRESS: Mapping[str, Progress] = {each.value: each for each in Progress} | {"played": Progress.READ}
FAR = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


@dataclass(frozen=True)
class People:
    """What the messages of one notification share: our number, and who is in it."""

    phone_number_id: str | None
    contacts: Sequence[Sender]
    senders: int

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> "People":
        contacts = [contact for contact in _list(value.get("contacts")) if isinstance(contact, dict)]
        messages = [message for message in _list(value.get("messages")) if isinstance(message, dict)]
        return cls(
            _text(_dict(value.get("metadata")).get("phone_number_id")),
            [
                Sender(
                    _text(contact.get("wa_id")),
                    _text(contact.get("user_id")),
                    _text(_dict(contact.get("profile")).get("name")),
                )
                for contact in contacts
            ],
            len({(_text(message.get("from")), _text(message.get("from_user_id"))) for message in messages}),
        )

    def sender(self, message: Mapping[str, Any]) -> Sender:
        """Who wrote it. The account's own id counts before the number shown in the message, where they differ."""
        number, user_id = _text(message.get("from")), _text(message.get("from_user_id"))
        known = self._contact(number, user_id)
        sender = Sender(known.wa_id or number, known.user_id or user_id, known.name)
        if sender.wa_id is None and sender.user_id is None:
            raise Malformed("no sender")
        return sender

    def _contact(self, number: str | None, user_id: str | None) -> Sender:
        for contact in self.contacts:
            if (number and contact.wa_id == number) or (user_id and contact.user_id == user_id):
                return contact
        # A single contact is the single sender's, even when its number is written another way.
        alone = len(self.contacts) == 1 and self.senders == 1
        return self.contacts[0] if alone else Sender(None, None)

    @property
    def number_id(self) -> str:
        if self.phone_number_id is None:
            raise Malformed("no phone_number_id")
        return self.phone_number_id


def read_message(item: Mapping[str, Any], people: People) -> Event:
    kind = _needed(item, "type")
    content = _dict(item.get(kind))
    words, payload = _words(kind, content)
    # A reaction answers a message too; it only says so elsewhere.
    reply_to = _text(_dict(item.get("context")).get("id"))
    if kind == "reaction":
        reply_to = _needed(content, "message_id")
    return Incoming(
        provider_id=_needed(item, "id"),
        phone_number_id=people.number_id,
        sender=people.sender(item),
        at=_time(item),
        type=kind,
        words=words,
        payload=payload,
        reply_to=reply_to,
        file=_file(content) if kind in FILES else None,
        raw=item,
        location=_location(content) if kind == "location" else None,
        is_test=people.phone_number_id == DASHBOARD_NUMBER_ID,
    )


def read_status(item: Mapping[str, Any], people: People) -> Event:
    name = _needed(item, "status")
    if name not in PROGRESS:
        return Other("status", item)
    errors = _list(item.get("errors"))
    error = _dict(errors[0]) if errors else {}
    code = error.get("code")
    return Status(
        provider_id=_needed(item, "id"),
        phone_number_id=people.number_id,
        progress=PROGRESS[name],
        at=_time(item),
        key=_text(item.get("biz_opaque_callback_data")),
        wa_id=_text(item.get("recipient_id")),
        user_id=_text(item.get("recipient_user_id")),
        error_code=code if isinstance(code, int) and not isinstance(code, bool) else None,
        error_title=_text(error.get("title")) or _text(error.get("message")),
    )


def _words(kind: str, content: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """What a person said, and what a button carries back."""
    if kind == "text":
        return _needed(content, "body", blank=True), None
    if kind == "button":
        return _needed(content, "text", blank=True), _text(content.get("payload"))
    if kind == "interactive":
        reply = _dict(content.get(str(content.get("type"))))
        return _text(reply.get("title")) or _text(reply.get("body")), _text(reply.get("id"))
    if kind == "reaction":
        return _text(content.get("emoji")), None
    if kind == "order":
        return _text(content.get("text")), None
    return (_text(content.get("caption")) if kind in FILES else None), None


def _file(content: Mapping[str, Any]) -> FileRef:
    return FileRef(
        media_id=_needed(content, "id"),
        mime_type=_text(content.get("mime_type")) or "application/octet-stream",
        sha256=hex_hash(content.get("sha256")),
        filename=_text(content.get("filename")),
    )


def _location(content: Mapping[str, Any]) -> Location:
    latitude, longitude = _degrees(content.get("latitude"), 90), _degrees(content.get("longitude"), 180)
    return Location(latitude, longitude, _text(content.get("name")), _text(content.get("address")))


def _degrees(value: Any, most: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > most:
        raise Malformed("a location that is not on Earth")
    return float(value)


def _time(item: Mapping[str, Any]) -> datetime:
    """Unix seconds, written as text; a number does no harm."""
    text = str(item.get("timestamp"))
    if not re.fullmatch(r"[0-9]{1,12}", text) or int(text) >= FAR:
        raise Malformed("no timestamp")
    return datetime.fromtimestamp(int(text), UTC)


def _needed(item: Mapping[str, Any], name: str, *, blank: bool = False) -> str:
    value = item.get(name)
    if not isinstance(value, str) or not (value or blank):
        raise Malformed(f"no {name}")
    return value


def _text(value: Any) -> str | None:
    """A text worth keeping. What surrounds the items is not checked with them, so it is here."""
    return value if isinstance(value, str) and value and not UNSPEAKABLE.search(value) else None


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
