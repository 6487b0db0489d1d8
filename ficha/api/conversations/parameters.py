"""Ids and names in the paths of the platform, and what its operations have in common in OpenAPI."""

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
    "properties": {"error": {"type": "string"}, "errors": {"type": "array"}, "message": {"type": "string"}},
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
