"""Renders a small page: its template, the phrases of its language, its inline style and script. Sends it compressed and
under its policy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.web.kit.language import PARAMETER, Texts
from ficha.web.kit.rendering import environment
from ficha.web.kit.small_pages.compression import JoinedPage, encoded
from ficha.web.kit.small_pages.content_policy import inline, policy, style

if TYPE_CHECKING:
    from jinja2 import Template


@dataclass(kw_only=True, slots=True)
class SmallPage:
    """What every small page needs; each page adds its own fields. Nobody changes one, but setting the fields of a
    frozen one takes ten times as long.

    `switch` holds the address of each language; a language without one is the same address with `?l=`. `script` is put
    into the page unescaped, so it must be a constant of ours. `refresh` is after how many seconds the page reloads;
    where scripts run, the script does that instead.
    """

    language: Idioma
    switch: Mapping[Idioma, str] = field(default_factory=dict)
    refresh: int = 0
    script: str = ""


def render_small_page(template: str, texts: Mapping[Idioma, Texts], page: SmallPage, **values: object) -> bytes:
    """The template gets `texts` as `t`. It escapes every value except our own style and script."""
    html = _template(template).render(
        page=page,
        t=texts[page.language],
        style=style(),
        script=inline(page.script),
        switch=[(one.value, page.switch.get(one) or f"?{PARAMETER}={one.value}") for one in Idioma],
        **{"refresh": page.refresh, **values},
    )
    # Characters that cannot be encoded become "?": one broken text must not cost the reader the page.
    return html.encode("utf-8", "replace")


@cache
def _template(name: str) -> "Template":
    return environment().get_template(name)


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
