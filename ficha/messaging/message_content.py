"""The content of a message as it is stored: JSON with the name of its kind, sealed with the key of its thread."""

import json
from dataclasses import asdict
from typing import Any

from ficha.channels.messages import Button, Content, CouponButton, LinkButton, Location, Media, Template, Text
from ficha.core.crypto import seal, unseal
from ficha.messaging.tables import Message

KINDS: dict[str, type[Text | Location | Media | Template]] = {
    "text": Text,
    "location": Location,
    "media": Media,
    "template": Template,
}
NAMES = {kind: name for name, kind in KINDS.items()}


def sealed_content(key: bytes, content: Content, place: str) -> bytes:
    return sealed_json(key, {"is": NAMES[type(content)], **asdict(content)}, place)


def content_of(key: bytes, sealed: bytes, place: str) -> Content:
    stored = opened_json(key, sealed, place)
    kind = KINDS[stored.pop("is")]
    if kind is Template:
        stored["buttons"] = [_button(button) for button in stored["buttons"]]
        for name, part in (("media", Media), ("location", Location)):
            if stored.get(name) is not None:
                stored[name] = part(**stored[name])
    return kind(**stored)


def _button(stored: dict[str, Any]) -> Button | LinkButton | CouponButton:
    if "coupon" in stored:
        return CouponButton(**stored)
    return Button(**stored) if "payload" in stored else LinkButton(**stored)


def sealed_json(key: bytes, value: Any, place: str) -> bytes:
    return seal(key, json.dumps(value, separators=(",", ":")).encode(), place)


def opened_json(key: bytes, sealed: bytes, place: str) -> Any:
    return json.loads(unseal(key, sealed, place))


def seal_anew(message: Message, old: bytes, new: bytes) -> None:
    """With the new key of its thread."""
    if message.sealed is not None:
        message.sealed = seal(new, unseal(old, message.sealed, message.place), message.place)
    if message.sealed_fallback is not None:
        place = f"{message.place}:fallback"
        message.sealed_fallback = seal(new, unseal(old, message.sealed_fallback, place), place)
