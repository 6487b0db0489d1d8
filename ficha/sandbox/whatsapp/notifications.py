"""Notifications as the platform words them: who, about what, in the envelope of the account."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.chats import ChatMessage, StatusUpdate
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.people import Person

# What the dashboard's Test button delivers, captured by two independent receivers.
DASHBOARD_TEST: dict[str, Any] = {
    "messaging_product": "whatsapp",
    "metadata": {"display_phone_number": "16505551111", "phone_number_id": "123456123"},
    "contacts": [{"profile": {"name": "test user name"}, "wa_id": "16315551181"}],
    "messages": [
        {
            "from": "16315551181",
            "id": "ABGGFlA5Fpa",
            "timestamp": "1504902988",
            "type": "text",
            "text": {"body": "this is a text message"},
        }
    ],
}


def envelope(account: str, changes: Sequence[dict[str, Any]], at: datetime | None = None) -> dict[str, Any]:
    """News of anything but messages say when they left."""
    entry: dict[str, Any] = {"id": account}
    if at is not None and any(each.get("field") != "messages" for each in changes):
        entry["time"] = int(at.timestamp())
    return {"object": "whatsapp_business_account", "entry": [{**entry, "changes": list(changes)}]}


def change(value: dict[str, Any], field: str = "messages") -> dict[str, Any]:
    return {"value": value, "field": field}


def about(number: Number) -> dict[str, Any]:
    """How every value begins."""
    return {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": number.digits, "phone_number_id": number.id},
    }


def contact(person: Person, behaviour: Behaviour) -> dict[str, Any]:
    profile = {"name": person.name} | ({"username": person.username} if person.username else {})
    found: dict[str, Any] = {"profile": profile}
    if person.wa_id is not None:
        found["wa_id"] = person.wa_id
    if behaviour.with_user_ids or person.wa_id is None:
        found["user_id"] = person.user_id
    return found


def sender(person: Person, behaviour: Behaviour) -> dict[str, Any]:
    found = {} if person.wa_id is None else {"from": person.wa_id}
    if behaviour.with_user_ids or person.wa_id is None:
        found["from_user_id"] = person.user_id
    return found


def inbound(number: Number, person: Person, message: dict[str, Any], behaviour: Behaviour) -> dict[str, Any]:
    value = about(number)
    # News of the system name nobody, but for a changed identity.
    if message["type"] != "system" or "identity" in message:
        value["contacts"] = [contact(person, behaviour)]
    return change(value | {"messages": [message]})


def status(number: Number, message: ChatMessage, note: StatusUpdate, behaviour: Behaviour) -> dict[str, Any]:
    person = message.person
    found: dict[str, Any] = {"id": message.id, "status": note.status, "timestamp": stamp(note.at)}
    if person.wa_id is not None:
        found["recipient_id"] = person.wa_id
    if behaviour.with_user_ids or person.wa_id is None:
        found["recipient_user_id"] = person.user_id
    if message.key is not None:
        found["biz_opaque_callback_data"] = message.key
    if note.error is not None:
        found["errors"] = [note.error]
    elif _is_priced(note, behaviour):
        found["pricing"] = _pricing(message)
        # Gone from version 24 on.
        if message.version < 24:
            found["conversation"] = _conversation(message, note)
    value = about(number)
    if note.error is None or behaviour.contacts_in_failed:
        value["contacts"] = [contact(person, behaviour)]
    return change(value | {"statuses": [found]})


def template_status(template_id: str, name: str, language: str, event: str) -> dict[str, Any]:
    return change(
        {
            "event": event,
            "message_template_id": int(template_id),
            "message_template_name": name,
            "message_template_language": language,
            "reason": "NONE",
        },
        "message_template_status_update",
    )


def preference(number: Number, person: Person, behaviour: Behaviour, at: datetime) -> dict[str, Any]:
    wish = "stop" if person.stopped_marketing else "resume"
    said: dict[str, Any] = {
        "detail": f"User requested to {wish} marketing messages",
        "category": "marketing_messages",
        "value": wish,
        "timestamp": int(at.timestamp()),
    }
    said |= {"wa_id": person.wa_id} if person.wa_id else {"user_id": person.user_id}
    value = about(number) | {"contacts": [contact(person, behaviour)], "user_preferences": [said]}
    return change(value, "user_preferences")


def stamp(at: datetime) -> str:
    """Unix seconds, as a string."""
    return str(int(at.timestamp()))


def _is_priced(note: StatusUpdate, behaviour: Behaviour) -> bool:
    last = "read" if behaviour.statuses == "read_only" else "delivered"
    return note.status in ("sent", last)


def _pricing(message: ChatMessage) -> dict[str, Any]:
    """By where the window stood when the message was accepted."""
    category = message.category
    is_free = category == "service" or (category == "utility" and message.in_window)
    kind = "free_customer_service" if is_free else "regular"
    return {"billable": not is_free, "pricing_model": "PMP", "type": kind, "category": category}


def _conversation(message: ChatMessage, note: StatusUpdate) -> dict[str, Any]:
    found: dict[str, Any] = {"id": message.id[-32:].lower(), "origin": {"type": message.category}}
    if note.status == "sent":
        found["expiration_timestamp"] = str(int(note.at.timestamp()) + 86_400)
    return found
