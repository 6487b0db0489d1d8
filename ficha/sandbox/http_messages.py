"""HTTP as this server reads and writes it: a request in, an answer out, and the ways an answer can go missing."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from ficha.sandbox.multipart import Part, read_multipart
from ficha.sandbox.whatsapp.errors import GraphError


class Ending(StrEnum):
    """How an answer leaves: whole, cut in the middle, not at all with the line closed, or not at all and silent."""

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

    @classmethod
    def of(cls, method: str, target: str, headers: Mapping[str, str], body: bytes) -> "HttpRequest":
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        return cls(method, unquote(parts.path), query, headers, body)

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
        """Parameters, wherever they came: query, form or JSON."""
        found: dict[str, Any] = dict(self.query)
        if self.content_type == "application/x-www-form-urlencoded":
            found |= parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)
        elif self.content_type == "multipart/form-data":
            found |= {part.name: part.text for part in self.parts() if part.filename is None}
        elif isinstance(body := self.json(), dict):
            found |= body
        return found

    def parts(self) -> list[Part]:
        return read_multipart(self.headers.get("content-type", ""), self.body)


@dataclass(frozen=True)
class HttpResponse:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Ending = Ending.WHOLE
    # What the caller's request made of the platform, for the log.
    accepted: str | None = None


def as_json(content: Any, status: int = 200, *, accepted: str | None = None) -> HttpResponse:
    return HttpResponse(status, dump(content), {"Content-Type": "application/json; charset=UTF-8"}, accepted=accepted)


def success() -> HttpResponse:
    return as_json({"success": True})


def as_error(error: GraphError) -> HttpResponse:
    plain = as_json(error.body, error.status)
    return HttpResponse(plain.status, plain.body, {**plain.headers, **error.headers})


def dump(content: Any) -> bytes:
    """ASCII with \\u escapes and no spaces: the bytes the platform signs and sends."""
    return json.dumps(content, separators=(",", ":")).encode("ascii")
