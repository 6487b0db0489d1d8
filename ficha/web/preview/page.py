"""`/app/{code}/ver`: a record as others see it, in each language."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.http.dependencies import CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.web.kit.language import OURS, PARAMETER, language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.preview.viewers import Looked, Viewer, as_seen_by

PHRASES = page_texts("preview", "preview")

routes = signed_in_routes("/app")


@routes.page("/{code}/ver")
def see_page(request: Request, opened: ReadFmd, code: str) -> Response:
    opened.fmd.must_manage()
    asked = request.query_params.get("idioma", "")
    language = asked if asked in OURS else language_of(request).value
    viewer = _viewer(request)
    return show(
        request,
        "preview/see.html",
        PHRASES,
        frames_us=True,
        code=code,
        viewers=list(Viewer),
        viewer=viewer,
        seen_in=language,
        frame=f"/app/{code}/vista?como={viewer}&{PARAMETER}={language}",
    )


@routes.page("/{code}/vista")
def seen_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """What is shown inside. It is the owner who reads, and so it is noted."""
    opened.fmd.must_manage()
    opened.note("record.previewed", [], now)
    return as_seen_by(_viewer(request), Looked(request, reading, parts, opened.fmd, caller.account_id, code, now))


def _viewer(request: Request) -> Viewer:
    asked = request.query_params.get("como")
    return Viewer(asked) if asked in set(Viewer) else Viewer.RESPONDER
