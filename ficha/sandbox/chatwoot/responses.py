"""Chatwoot's JSON, byte by byte as its framework writes it."""

import json
from typing import Any

from ficha.sandbox.http_messages import HttpResponse

# So that JSON can stand inside a page.
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def chatwoot_json(content: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(status, json_text(content).encode(), {"Content-Type": "application/json; charset=utf-8"})


def empty() -> HttpResponse:
    """What deletes, typing and last-seen answer."""
    return HttpResponse(200, b"", {"Content-Type": "text/html"})


def json_text(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    for sign, escaped in _ESCAPED.items():
        text = text.replace(sign, escaped)
    return text
