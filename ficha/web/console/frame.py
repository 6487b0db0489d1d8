"""What surrounds every page of the console: its menu, who is signed in, and what is said after a change."""

from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ficha.web.console.door import Visit
from ficha.web.kit.language import Phrases, Translate, language_of, translator
from ficha.web.kit.lists import Table, with_query
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "frame")


# Where the address says what was done, so that a page that is loaded again does nothing twice.
DONE = "hecho"


class MenuSection(NamedTuple):
    """A page of the menu. Its name is also the key of its title."""

    name: str
    path: str
    admin_only: bool = False


# Queues first.
SECTIONS = (
    MenuSection("home", "/admin"),
    MenuSection("emergencies", "/admin/emergencias"),
    MenuSection("jobs", "/admin/trabajos"),
    MenuSection("alarms", "/admin/alarmas"),
    MenuSection("people", "/admin/personas"),
    MenuSection("institutions", "/admin/instituciones"),
    MenuSection("rules", "/admin/consejos", admin_only=True),
    MenuSection("codes", "/admin/codigos", admin_only=True),
    MenuSection("batches", "/admin/lotes", admin_only=True),
    MenuSection("services", "/admin/servicios"),
    MenuSection("buttons", "/admin/botones"),
    MenuSection("projects", "/admin/proyectos"),
    MenuSection("subscriptions", "/admin/suscripciones"),
    MenuSection("changes", "/admin/cambios", admin_only=True),
)


def translate_for(request: Request, phrases: Phrases) -> Translate:
    return translator(language_of(request), phrases, PHRASES)


def word_of(t: Translate, phrases: Phrases, kind: str, value: str) -> str:
    """The words for a stored value, such as a state; the value itself where there are none yet."""
    key = f"{kind}_{value}"
    return t(key) if key in phrases else value


def show_console(
    request: Request,
    visit: Visit,
    template: str,
    section: str,
    phrases: Phrases,
    *,
    status: int = 200,
    **values: Any,
) -> Response:
    """A page of the console. `section` is the one of the menu that it belongs to."""
    done = f"done_{request.query_params.get(DONE, '')}"
    together = {**PHRASES, **phrases}
    return show(
        request,
        template,
        together,
        status=status,
        section=section,
        sections=[each for each in SECTIONS if visit.is_admin or not each.admin_only],
        done=done if done in together else "",
        **values,
    )


def show_list(
    request: Request,
    visit: Visit,
    section: str,
    phrases: Phrases,
    table: Table,
    *,
    title: str = "",
    lead: str = "",
    new_link: str = "",
    new_label: str = "",
) -> Response:
    """A page that is one list. `new_link` leads to the form for another row."""
    return show_console(
        request,
        visit,
        "console/list.html",
        section,
        phrases,
        title=title or translate_for(request, phrases)(section),
        table=table,
        lead=lead,
        new_link=new_link,
        new_label=new_label,
    )


def go_on(request: Request, path: str, done: str = "", **values: str) -> Response:
    """After a change: leads to a page that says what was done."""
    return go_to(request, with_query(path, {**values, DONE: done}))
