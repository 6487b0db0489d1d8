"""What OpenAPI says of the operations that are passed on: ids and names in paths, errors, and the platform's answers as
its contract shows them."""

from typing import Annotated, Any

from fastapi import Path, Query

from ficha.http.openapi import ERROR

# The platform's own numbers; a conversation's is the one that the account counts.
Number = Annotated[str, Path(pattern=r"^[0-9]{1,18}$", examples=["1"])]
# Of an inbox, or of a contact in it. Not what could be read as another path.
NAME = r"^[A-Za-z0-9_~@+:=-][A-Za-z0-9_~@+:=.-]{0,254}$"
Inbox = Annotated[str, Path(pattern=NAME, examples=["sandbox-inbox"])]
Contact = Annotated[str, Path(pattern=NAME, examples=["maria"])]
# Passed on as they are: the platform says which values it takes.
Text = Annotated[str | None, Query(max_length=500)]
Labels = Annotated[str | None, Query(alias="labels[]", description="May come several times.")]

# Who may call an operation of the account, and one of the public API.
AGENT = ("chatwoot", "bearer")
ANYBODY: tuple[str | None, ...] = (None, "chatwoot")

PLATFORM_ERROR = {
    "type": "object",
    "description": "The platform's own error: `error`, `errors` or `message` with `attributes`.",
    "properties": {
        "error": {"type": "string"},
        "errors": {"type": "array", "items": {}},
        "message": {"type": "string"},
    },
    "examples": [{"error": "Resource could not be found"}],
}
_EITHER = {"application/json": {"schema": {"anyOf": [ERROR, PLATFORM_ERROR]}}}
_TITLES = {
    401: "Unauthenticated",
    403: "Forbidden",
    404: "Record Not Found",
    422: "Parameter Error",
    429: "Too Many Requests",
    500: "Internal Error",
}
# Ours for whoever calls with a token of ours, the platform's for everybody else.
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": title, "content": dict(_EITHER)} for status, title in _TITLES.items()
}
RESPONSES[429]["content"]["text/plain"] = {"schema": {"type": "string"}, "example": "Retry later\n"}
ERRORS = (502, 503, 504)
# Of an operation with a body.
BODY_ERRORS = (409, 415, *ERRORS)

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
