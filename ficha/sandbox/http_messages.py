"""HTTP requests and responses as the sandbox reads and writes them, and the ways a response can be lost."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ficha.core.multipart import FormPart, read_multipart


class Ending(StrEnum):
    """How a response is sent: whole; cut in the middle; not at all, the connection closed; not at all, kept open."""

    WHOLE = "whole"
    HALF = "half"
    CLOSED = "closed"
    SILENT = "silent"


@dataclass(frozen=True)
class HttpRequest:
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    # As it was sent, encoded.
    target: str = ""

    @classmethod
    def of(cls, method: str, target: str, headers: Mapping[str, str], body: bytes) -> "HttpRequest":
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        return cls(method, unquote(parts.path), query, headers, body, target)

    @property
    def query_pairs(self) -> list[tuple[str, str]]:
        """With the names that come more than once."""
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True)

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def json(self) -> Any:
        """None for what is not JSON: the platform then misses the first parameter it needs, and says so."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    def fields(self) -> dict[str, Any]:
        """The parameters, whether they came as query, form or JSON."""
        found: dict[str, Any] = dict(self.query)
        if self.content_type == "application/x-www-form-urlencoded":
            found |= parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        elif self.content_type == "multipart/form-data":
            found |= {part.name: part.text for part in self.parts() if part.filename is None}
        elif isinstance(body := self.json(), dict):
            found |= body
        return found

    def parts(self) -> list[FormPart]:
        return read_multipart(self.headers.get("content-type", ""), self.body)


@dataclass(frozen=True)
class HttpResponse:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Ending = Ending.WHOLE
    # The id of the message that the platform accepted, for its journal.
    accepted: str | None = None


def json_response(content: Any, status: int = 200, *, accepted: str | None = None) -> HttpResponse:
    headers = {"Content-Type": "application/json; charset=UTF-8"}
    return HttpResponse(status, json_bytes(content), headers, accepted=accepted)


def json_bytes(content: Any) -> bytes:
    """ASCII with \\u escapes and no spaces: the bytes that WhatsApp signs and sends."""
    return json.dumps(content, separators=(",", ":")).encode("ascii")
