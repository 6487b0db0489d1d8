"""The errors of Chatwoot: each of its APIs has bodies of its own."""

from collections.abc import Sequence
from typing import Any

from ficha.sandbox.chatwoot.responses import chatwoot_json
from ficha.sandbox.http_messages import HttpResponse


class ChatwootError(Exception):
    """Answered with this status and JSON body."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(str(body))
        self.status = status
        self.body = body

    @property
    def response(self) -> HttpResponse:
        return chatwoot_json(self.body, self.status)


class Throttled(ChatwootError):
    """429, the only error that is no JSON."""

    def __init__(self) -> None:
        super().__init__(429, {})

    @property
    def response(self) -> HttpResponse:
        return HttpResponse(429, b"Retry later\n", {"Content-Type": "text/plain"})


def text_error(status: int, text: str) -> ChatwootError:
    return ChatwootError(status, {"error": text})


def not_found() -> ChatwootError:
    """Of the application API."""
    return text_error(404, "Resource could not be found")


def public_not_found() -> ChatwootError:
    """Of the public API: the framework's own."""
    return ChatwootError(404, {"status": 404, "error": "Not Found"})


def wrong_identity() -> ChatwootError:
    """An identifier_hash that is not the identifier's: nobody catches that there."""
    return ChatwootError(500, {"status": 500, "error": "Internal Server Error"})


def not_signed_in() -> ChatwootError:
    return ChatwootError(401, {"errors": ["You need to sign in or sign up before continuing."]})


def not_allowed() -> ChatwootError:
    return text_error(401, "You are not authorized to do this action")


def invalid(faults: Sequence[tuple[str, str]]) -> ChatwootError:
    """Of each fault the attribute, and the sentence that begins with its name."""
    return ChatwootError(
        422,
        {"message": ", ".join(text for _, text in faults), "attributes": [attribute for attribute, _ in faults]},
    )
