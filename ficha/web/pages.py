"""All pages, in the order in which their paths are matched."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from types import ModuleType

from ficha.asgi.routes import RouteGroup, ServedRoute
from ficha.web.console import metrics
from ficha.web.contact import answer_page
from ficha.web.docs import openapi_document
from ficha.web.kit import assets
from ficha.web.portal.account import push_worker
from ficha.web.portal.joining import home
from ficha.web.portal.log import log_anchors
from ficha.web.sticker import (
    alert_form,
    break_glass_form,
    carnet_page,
    live_stream,
    offline_viewer,
    relay_form,
    scanned_page,
    service_worker,
    typed_code_page,
)

# The offline viewer first: its address /e/offline would fit that of a typed code.
STICKER = (
    offline_viewer,
    typed_code_page,
    scanned_page,
    alert_form,
    relay_form,
    break_glass_form,
    service_worker,
    live_stream,
    carnet_page,
)


EAGER = (home, answer_page, log_anchors, push_worker, *STICKER, openapi_document, metrics, assets)


def page_routes() -> Iterator[RouteGroup]:
    for page in EAGER:
        yield RouteGroup(page.routes.under)
    later: dict[Callable[[], Iterable[ModuleType]], Sequence[str]] = {
        _login: ("/login", "/logout", "/clave"),
        _joining: ("/registro", "/etiqueta", "/invitacion", "/institucion"),
        _project: ("/p/",),
        _family: ("/app",),
        _lost: ("/perdida",),
        _reminder: ("/recordatorio",),
        _console: ("/admin",),
        _docs: ("/docs",),
        _sandbox: ("/sandbox",),
    }
    for pages, starts in later.items():
        yield RouteGroup(partial(_routes_of, pages), starts)


def _routes_of(pages: Callable[[], Iterable[ModuleType]]) -> Iterator[ServedRoute]:
    for page in pages():
        yield from page.routes.under()


# These are loaded when one of them is first asked for: a tenth of a start, and of an idle server's memory.
def _family() -> Iterable[ModuleType]:
    from ficha.web.portal.pages import FAMILY  # noqa: PLC0415  As said above.
    from ficha.web.preview import page as preview  # noqa: PLC0415  As said above.

    return (preview, *FAMILY)  # Its addresses would fit those of the forms of models.


def _login() -> Iterable[ModuleType]:
    from ficha.web.portal.account import clave, login, login_passkey, login_second_step, logout  # noqa: PLC0415

    return (login, login_passkey, login_second_step, logout, clave)


def _joining() -> Iterable[ModuleType]:
    from ficha.web.portal.joining import claim, enrolment, invitation, register  # noqa: PLC0415  As said above.

    return (register, claim, invitation, enrolment)


def _project() -> Iterable[ModuleType]:
    from ficha.web.portal import project_link  # noqa: PLC0415  As said above.

    return (project_link,)


def _lost() -> Iterable[ModuleType]:
    from ficha.web.portal.record import lost  # noqa: PLC0415  As said above.

    return (lost,)


def _reminder() -> Iterable[ModuleType]:
    from ficha.web.portal.record import reminder_answer  # noqa: PLC0415  As said above.

    return (reminder_answer,)


def _console() -> Iterable[ModuleType]:
    from ficha.web.console.pages import CONSOLE  # noqa: PLC0415  As said above.

    return CONSOLE


def _docs() -> Iterable[ModuleType]:
    from ficha.web.docs import page  # noqa: PLC0415  As said above.

    return (page,)


def _sandbox() -> Iterable[ModuleType]:
    from ficha.web.sandbox import page  # noqa: PLC0415  As said above.

    return (page,)
