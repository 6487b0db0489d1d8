"""The JSON of the platform's notifications."""

from collections.abc import Mapping, Sequence
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
    """Changes of any field but `messages` carry the time they were sent."""
    entry: dict[str, Any] = {"id": account}
    if at is not None and any(each.get("field") != "messages" for each in changes):
        entry["time"] = int(at.timestamp())
    return {"object": "whatsapp_business_account", "entry": [{**entry, "changes": list(changes)}]}


def change(value: dict[str, Any], field: str = "messages") -> dict[str, Any]:
    return {"value": value, "field": field}


def _common_fields(number: Number) -> dict[str, Any]:
    """What every value has."""
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
    value = _common_fields(number)
    # System messages name no contact, except those about a changed identity.
    if message["type"] != "system" or "identity" in message:
        value["contacts"] = [contact(person, behaviour)]
    return change(value | {"messages": [message]})


def status(number: Number, message: ChatMessage, update: StatusUpdate, behaviour: Behaviour) -> dict[str, Any]:
    person = message.person
    found: dict[str, Any] = {"id": message.id, "status": update.status, "timestamp": stamp(update.at)}
    if person.wa_id is not None:
        found["recipient_id"] = person.wa_id
    if behaviour.with_user_ids or person.wa_id is None:
        found["recipient_user_id"] = person.user_id
    if message.key is not None:
        found["biz_opaque_callback_data"] = message.key
    if update.error is not None:
        found["errors"] = [update.error]
    elif _is_priced(update, behaviour):
        found["pricing"] = _pricing(message)
        # Version 24 removed it.
        if message.version < 24:
            found["conversation"] = _conversation(message, update)
    value = _common_fields(number)
    if update.error is None or behaviour.contacts_in_failed:
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


# The field of the notifications about each kind of change of a group.
_GROUP_FIELDS = {
    "group_create": "group_lifecycle_update",
    "group_delete": "group_lifecycle_update",
    "group_settings_update": "group_settings_update",
    "group_add_participants": "group_participants_update",
    "group_remove_participants": "group_participants_update",
}


def group_update(
    number: Number, group_id: str, kind: str, request_id: str, at: datetime, details: Mapping[str, Any]
) -> dict[str, Any]:
    update = {"timestamp": stamp(at), "group_id": group_id, "type": kind, "request_id": request_id, **details}
    return change(_common_fields(number) | {"groups": [update]}, _GROUP_FIELDS[kind])


def participants(people: Mapping[str, Person]) -> list[dict[str, str]]:
    """Each by what was written of them."""
    return [{"input": written, "wa_id": person.key} for written, person in people.items()]


def marketing_preference(number: Number, person: Person, behaviour: Behaviour, at: datetime) -> dict[str, Any]:
    choice = "stop" if person.stopped_marketing else "resume"
    preference: dict[str, Any] = {
        "detail": f"User requested to {choice} marketing messages",
        "category": "marketing_messages",
        "value": choice,
        "timestamp": int(at.timestamp()),
    }
    preference |= {"wa_id": person.wa_id} if person.wa_id else {"user_id": person.user_id}
    value = _common_fields(number) | {"contacts": [contact(person, behaviour)], "user_preferences": [preference]}
    return change(value, "user_preferences")


def stamp(at: datetime) -> str:
    """Unix seconds, as a string."""
    return str(int(at.timestamp()))


def _is_priced(update: StatusUpdate, behaviour: Behaviour) -> bool:
    last = "read" if behaviour.statuses == "read_only" else "delivered"
    return update.status in ("sent", last)


def _pricing(message: ChatMessage) -> dict[str, Any]:
    """Depends on whether the window was open when the message was accepted."""
    category = message.category
    is_free = category == "service" or (category == "utility" and message.in_window)
    kind = "free_customer_service" if is_free else "regular"
    return {"billable": not is_free, "pricing_model": "PMP", "type": kind, "category": category}


def _conversation(message: ChatMessage, update: StatusUpdate) -> dict[str, Any]:
    found: dict[str, Any] = {"id": message.id[-32:].lower(), "origin": {"type": message.category}}
    if update.status == "sent":
        found["expiration_timestamp"] = str(int(update.at.timestamp()) + 86_400)
    return found
