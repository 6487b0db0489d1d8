"""Sends a small page: compressed, under its policy, and never kept on the way."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.web.kit.small_pages.compression import JoinedPage, encoded
from ficha.web.kit.small_pages.content_policy import policy


def small_page_response(request: Request, page: bytes | JoinedPage, status: int = 200, *, script: str = "") -> Response:
    content, headers = encode_page(page, request.headers.get("accept-encoding", ""), script)
    return Response(content, status, headers)


def encode_page(page: bytes | JoinedPage, accept_encoding: str, script: str) -> tuple[bytes, dict[str, str]]:
    """The body as it is sent, and its headers. `script` is the one that the policy allows."""
    content, encoding = encoded(page, accept_encoding)
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
    return content, headers
