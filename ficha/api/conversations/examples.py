"""Answers of the platform, as its contract shows them."""

from typing import Any

CONTACT: dict[str, Any] = {
    "additional_attributes": {},
    "availability_status": "offline",
    "email": None,
    "id": 7,
    "name": "María Rojas",
    "phone_number": "+584125551111",
    "blocked": False,
    "identifier": None,
    "thumbnail": "",
    "custom_attributes": {},
    "last_activity_at": 1767323045,
    "created_at": 1767323045,
    "contact_inboxes": [],
}
MESSAGE: dict[str, Any] = {
    "id": 12,
    "content": "La ambulancia va en camino",
    "inbox_id": 1,
    "conversation_id": 3,
    "message_type": 1,
    "content_type": "text",
    "status": "sent",
    "content_attributes": {},
    "created_at": 1767323045,
    "private": False,
    "source_id": None,
}
CONVERSATION: dict[str, Any] = {
    "meta": {"sender": CONTACT, "channel": "Channel::Api", "hmac_verified": False},
    "id": 3,
    "messages": [MESSAGE],
    "account_id": 1,
    "inbox_id": 1,
    "labels": ["emergencia"],
    "status": "open",
    "can_reply": True,
    "unread_count": 0,
    "created_at": 1767323045,
    "timestamp": 1767323045,
}
CONTACT_RECORD: dict[str, Any] = {
    "id": 7,
    "name": "María Rojas",
    "email": None,
    "phone_number": "+584125551111",
    "identifier": None,
    "custom_attributes": {},
    "created_at": "2026-01-02T03:04:05.000Z",
    "account_id": 1,
}
PUBLIC_CONVERSATION: dict[str, Any] = {
    "id": 3,
    "uuid": "1f0c6f0e-0000-4000-8000-000000000003",
    "inbox_id": 1,
    "contact_last_seen_at": 0,
    "status": "open",
    "agent_last_seen_at": 0,
    "messages": [],
    "contact": CONTACT_RECORD,
}


def example_body(value: Any, media_type: str = "application/json") -> dict[str, Any]:
    """The description of a body that is passed on as it came."""
    return {media_type: {"type": "object", "examples": [value]}}
