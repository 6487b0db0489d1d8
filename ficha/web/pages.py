"""All pages, in the order in which their paths are matched."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from ficha.asgi.routes import RouteGroup, Routes, ServedRoute
from ficha.web.console import metrics
from ficha.web.contact import answer_page
from ficha.web.docs import openapi_document
from ficha.web.kit import assets
from ficha.web.portal.joining import home
from ficha.web.portal.log import log_anchors
from ficha.web.sticker import (
    alert_form,
    break_glass_form,
    carnet_page,
    live_stream,
    offline_viewer,
    scanned_page,
    script,
    typed_code_page,
)

# The offline viewer first: its address /e/offline would fit that of a typed code.
STICKER = (
    offline_viewer,
    typed_code_page,
    scanned_page,
    alert_form,
    break_glass_form,
    script,
    live_stream,
    carnet_page,
)

EAGER = (home, answer_page, log_anchors, *STICKER, openapi_document, metrics, assets)
PORTAL = (
    *("/app", "/login", "/logout", "/clave", "/registro", "/empezar", "/etiqueta", "/invitacion", "/institucion"),
    *("/perdida", "/recordatorio", "/p/"),
)


def page_routes() -> Iterator[RouteGroup]:
    for page in EAGER:
        yield RouteGroup(page.routes.under)
    later: dict[Callable[[], Iterable[Routes]], Sequence[str]] = {
        _portal: PORTAL,
        _console: ("/admin",),
        _institution: ("/centros",),
        _docs: ("/docs",),
        _health_viewer: ("/ver",),
        _sandbox: ("/sandbox",),
    }
    for pages, starts in later.items():
        yield RouteGroup(partial(_routes_of, pages), starts)


def _routes_of(pages: Callable[[], Iterable[Routes]]) -> Iterator[ServedRoute]:
    for routes in pages():
        yield from routes.under()


# These are loaded when one of them is first asked for: a tenth of a start, and of an idle server's memory.
def _portal() -> Iterable[Routes]:
    from ficha.web.portal.pages import PAGES  # noqa: PLC0415  As said above.
    from ficha.web.preview import page as preview  # noqa: PLC0415  As said above.

    return (preview.routes, *PAGES)  # Its addresses would fit those of the forms of models.


def _console() -> Iterable[Routes]:
    from ficha.web.console.pages import CONSOLE  # noqa: PLC0415  As said above.

    return (page.routes for page in CONSOLE)


def _institution() -> Iterable[Routes]:
    from ficha.web.institution.pages import INSTITUTION  # noqa: PLC0415  As said above.

    return INSTITUTION


def _docs() -> Iterable[Routes]:
    from ficha.web.docs import page  # noqa: PLC0415  As said above.

    return (page.routes,)


def _health_viewer() -> Iterable[Routes]:
    from ficha.web.health_viewer import page  # noqa: PLC0415  As said above.

    return (page.routes,)


def _sandbox() -> Iterable[Routes]:
    from ficha.web.sandbox import page  # noqa: PLC0415  As said above.

    return (page.routes,)
