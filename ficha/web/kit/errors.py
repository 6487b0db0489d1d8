"""The page that a person sees when something went wrong. Programs get JSON instead."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.errors import FichaError
from ficha.core.log import current_request_id
from ficha.core.settings import Settings
from ficha.http.errors import json_error
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "errors")


def page_or_json_error(request: Request, error: FichaError) -> Response:
    """A page for a person with a browser, JSON for everybody else."""
    if not wants_page(request):
        return json_error(request, error)
    kind = error.status if f"title_{error.status}" in PHRASES else "other"
    return show(
        request,
        "kit/error.html",
        {"title": PHRASES[f"title_{kind}"], "advice": PHRASES[f"advice_{kind}"]},
        status=error.status,
        headers=error.headers,
        number=current_request_id(),
    )


def wants_page(request: Request) -> bool:
    if is_for_programs(request.url.path, request.app.state.parts.settings):
        return False
    first = request.headers.get("accept", "").partition(",")[0].partition(";")[0]
    return first.strip().lower() in ("text/html", "application/xhtml+xml")


def is_for_programs(path: str, settings: Settings) -> bool:
    prefixes = (settings.v1, settings.v2, settings.test, f"/{settings.csrf_scope}", "/health", "/api")
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)
