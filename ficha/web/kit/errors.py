"""The page that a person sees when something went wrong. Programs get JSON instead."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.errors import FichaError
from ficha.core.log import current_request_id
from ficha.core.settings import Settings
from ficha.fmd.responder.emergency_numbers import emergency_call
from ficha.http.errors import json_error
from ficha.http.languages import told_in
from ficha.web.kit.language import language_of, region_of
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts

PHRASES = {**page_texts("kit", "errors"), **page_texts("kit", "emergency_call")}
SERVER_ERROR, UNAVAILABLE = 500, 503
# As things stand it cannot be done: the error's own sentence says what to do first.
CONFLICT = 409
HTML = ("text/html", "application/xhtml+xml")


def page_or_json_error(request: Request, error: FichaError) -> Response:
    """A page for a person with a browser, JSON for everybody else."""
    if not wants_page(request, even_unasked=error.status == UNAVAILABLE):
        return json_error(request, error)
    call = None
    if error.status >= SERVER_ERROR:
        # The page has no form, and a token for one may need the database that does not answer.
        request.state.browser = None
        # Whoever was alerted, or opens a record to help, is not to wait for us.
        call = emergency_call(region_of(request), "", request.app.state.parts.settings.emergency_country)
    kind = error.status if f"title_{error.status}" in PHRASES else "other"
    return show(
        request,
        "kit/error.html",
        {**PHRASES, "title": PHRASES[f"title_{kind}"], "advice": PHRASES[f"advice_{kind}"]},
        status=error.status,
        headers=error.headers,
        why=told_in(language_of(request), error.message) if error.status == CONFLICT else "",
        number=current_request_id(),
        call=call,
    )


def wants_page(request: Request, *, even_unasked: bool = False) -> bool:
    """`even_unasked`: at the address of a page, whoever accepts anything gets one too."""
    path = request.url.path
    if is_for_programs(path, request.app.state.parts.settings):
        return False
    first = request.headers.get("accept", "").partition(",")[0].partition(";")[0].strip().lower()
    return first in HTML or (even_unasked and first in ("", "*/*") and "." not in path.rpartition("/")[2])


def is_for_programs(path: str, settings: Settings) -> bool:
    prefixes = (settings.v1, settings.v2, settings.test, f"/{settings.csrf_scope}", "/health", "/api")
    return any(path == prefix or path.startswith(f"{prefix}/") for prefix in prefixes)
