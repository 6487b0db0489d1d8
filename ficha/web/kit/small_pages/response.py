"""Sends a small page: compressed, under its policy, and never kept on the way."""

from collections.abc import Mapping
from functools import cache

from starlette.requests import Request
from starlette.responses import Response

from ficha.web.kit.small_pages.compression import JoinedPage, encoded
from ficha.web.kit.small_pages.content_policy import policy


def small_page_response(request: Request, page: bytes | JoinedPage, status: int = 200, *, script: str = "") -> Response:
    content, encoding = encoded(page, request.headers.get("accept-encoding", ""))
    return Response(content, status, page_headers(script, encoding))


@cache
def page_headers(script: str, encoding: str) -> Mapping[str, str]:
    """`script` is the one that the policy allows; `encoding` is empty for a page that is not compressed."""
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy(script),
        "Vary": "Accept-Language, Accept-Encoding",
        # The address is a secret: it goes to nobody, not even to ourselves as a referrer.
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex",
    }
    if encoding:
        headers["Content-Encoding"] = encoding
    return headers
