"""The platform's state as JSON, for the sandbox page: the business number and the chats, newest first."""

from datetime import datetime
from typing import Any

from ficha.sandbox.whatsapp.chats import ChatMessage, StatusUpdate
from ficha.sandbox.whatsapp.people import Person
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform


def state(platform: WhatsAppPlatform) -> dict[str, Any]:
    chats = [chat for person in platform.people if (chat := _chat(platform, person))["messages"]]
    chats.sort(key=lambda chat: str(chat["messages"][-1]["at"]), reverse=True)
    return {
        "version": platform.version,
        "changed": True,
        "now": platform.now().isoformat(),
        "number": _number(platform),
        "pending": platform.pending,
        "chats": chats,
    }


def _number(platform: WhatsAppPlatform) -> dict[str, Any]:
    number = platform.number
    return {
        "id": number.id,
        "digits": number.digits,
        "display_phone_number": number.display_phone_number,
        "verified_name": number.verified_name,
        "registered": number.registered,
        "business_id": platform.config.business_id,
        "app_id": platform.config.app_id,
        "webhook_url": number.webhook or platform.subscription.override or platform.config.webhook_url,
        "subscribed": platform.subscription.active,
        # What the phone behind each number would have received by SMS.
        "codes": {each.id: each.code for each in platform.numbers.values() if each.code is not None},
    }


def _chat(platform: WhatsAppPlatform, person: Person) -> dict[str, Any]:
    until = person.window_until(platform.behaviour.window_hours)
    return {
        "user": {"wa_id": person.wa_id, "user_id": person.user_id, "name": person.name, "username": person.username},
        "window_open_until": _iso(until),
        "window_open": platform.is_window_open(person),
        "stopped": person.stopped_marketing,
        "typing_until": _iso(person.typing_until),
        "messages": [_message(platform, each) for each in platform.chats.of(person)],
    }


def _message(platform: WhatsAppPlatform, message: ChatMessage) -> dict[str, Any]:
    media = message.media
    if media is not None and media.get("id") in platform.media.files:
        media = media | {"url": f"{platform.url}/_sandbox/media/{media['id']}"}
    return {
        "id": message.id,
        "direction": message.direction,
        "type": message.type,
        "at": message.at.isoformat(),
        "text": message.text,
        "buttons": message.buttons,
        "location": message.location,
        "media": media,
        "key": message.key,
        "read_by_business": message.is_read_by_business,
        "statuses": [_status(update) for update in message.statuses],
        "raw": message.raw,
    }


def _status(update: StatusUpdate) -> dict[str, Any]:
    found: dict[str, Any] = {"status": update.status, "at": update.at.isoformat()}
    if update.error is not None:
        found["error"] = update.error
    return found


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
