"""The front page: a field for a sticker's code first, then where else to go."""

import re

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.core.ids import CODE_ALPHABET, CODE_LENGTH
from ficha.http.dependencies import Parts
from ficha.web.kit.forms import FieldRefused
from ficha.web.kit.rendering import show_form
from ficha.web.kit.signed_in import go_to, is_signed_in
from ficha.web.kit.texts import page_texts

routes = Routes(include_in_schema=False)

PHRASES = page_texts("portal", "home")
CODE = re.compile(f"[{CODE_ALPHABET}]{{{CODE_LENGTH}}}")


@routes.page("/")
def front_page(request: Request, parts: Parts) -> Response:
    return _page(request, parts)


@routes.page("/codigo")
def typed_code(request: Request, parts: Parts) -> Response:
    """A code is no secret, so the form may put it into the address. It leads whoever found a person to her page, and
    whoever holds a new sticker to joining or, logged in, to her records."""
    typed = request.query_params.get("code", "")[:40]
    code = re.sub(r"[\s-]", "", typed).upper()
    if not CODE.fullmatch(code):
        return _page(request, parts, typed, FieldRefused("code", "code_wrong" if code else "code_missing"))
    if request.query_params.get("para") != "mia":
        return go_to(request, f"/e/{code}")
    return go_to(request, f"/app/etiqueta?code={code}" if is_signed_in(request, parts) else f"/registro?code={code}")


def _page(request: Request, parts: Parts, typed: str = "", wrong: FieldRefused | None = None) -> Response:
    return show_form(
        request,
        "portal/joining/home.html",
        PHRASES,
        wrong,
        in_production=parts.settings.in_production,
        is_signed_in=is_signed_in(request, parts),
        code=typed,
    )
