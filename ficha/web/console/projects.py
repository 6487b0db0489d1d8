"""/admin/proyectos: the projects that signed links lead to; an administrator makes and changes them."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.projects import ProjectFields, project_with, projects, put_project
from ficha.core.errors import NotFound, Source
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.web.console.door import AdminVisit, StaffVisit, Visit
from ficha.web.console.forms import faults_in, show_form
from ficha.web.console.frame import go_on, show_list, translate_for
from ficha.web.console.numbered_forms import NameInUse
from ficha.web.console.project_phrases import PROJECTS as PHRASES
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, RowAction, Search, Table, code, cut, page_link
from ficha.web.kit.model_forms import ModelField, read_model, stored_texts
from ficha.web.kit.signed_in import signed_in_routes

routes = signed_in_routes()

PATH, NEW = "/admin/proyectos", "/admin/proyectos/nuevo"
COLUMNS = ("number", "field_name", "field_slug", "field_url", "field_is_active")
FIELDS = (
    ModelField("name"),
    ModelField("description", "paragraph"),
    ModelField("url"),
    ModelField("is_active", "checkbox"),
)
SlugPath = Annotated[str, Path(alias="slug", max_length=60, pattern=r"^[a-z][a-z0-9_-]*$")]


class SlugInUse(NameInUse):
    """The form for a new project must not replace another."""

    source = Source("pointer", "/slug")


@routes.page(PATH)
def projects_page(
    request: Request, reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None
) -> Response:
    t = translate_for(request, PHRASES)
    found = projects(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, search=q)
    shown, following = cut(found, lambda row: row.id)
    rows = [
        Row(
            [
                Cell(str(row.id)),
                Cell(row.name, link=f"{PATH}/{row.slug}" if visit.is_admin else ""),
                code(row.slug),
                code(row.url),
                Cell(t("yes" if row.is_active else "no")),
            ],
            [RowAction(t("get_link"), f"{PATH}/{row.slug}/enlace", row.name)] if row.is_active else (),
        )
        for row in shown
    ]
    table = Table(
        PATH,
        [t(key) for key in COLUMNS],
        rows,
        t("none"),
        search_label=t("search_name"),
        search=q,
        is_first_page=cursor is None,
        next_link=page_link(PATH, {"q": q}, following),
    )
    new_link = NEW if visit.is_admin else ""
    return show_list(request, visit, "projects", PHRASES, table, lead=t("lead"), new_link=new_link, new_label=t("new"))


@routes.page(NEW)
def new_page(request: Request, visit: AdminVisit) -> Response:
    return _form(request, visit, NEW, {"is_active": "1"})


@routes.post(NEW)
def make(request: Request, db: Db, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
    slug = form.get("slug", "").strip()

    def save() -> None:
        fields = read_model(ProjectFields, FIELDS, form)
        if _exists(db, slug):
            raise SlugInUse
        put_project(db, slug, fields, visit.actor, now)

    if faults := faults_in(db, "slug", save):
        return _form(request, visit, NEW, form, faults)
    return go_on(request, PATH, "saved")


@routes.page(PATH + "/{slug}")
def change_page(request: Request, reading: Reading, visit: AdminVisit, slug: SlugPath) -> Response:
    found = project_with(reading, slug)
    values = {field.name: getattr(found, field.name) for field in FIELDS}
    return _form(request, visit, f"{PATH}/{slug}", stored_texts(values))


@routes.post(PATH + "/{slug}")
def change(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    project_with(db, slug)

    def save() -> None:
        put_project(db, slug, read_model(ProjectFields, FIELDS, form), visit.actor, now)

    if faults := faults_in(db, "name", save):
        return _form(request, visit, f"{PATH}/{slug}", form, faults)
    return go_on(request, PATH, "saved")


def _exists(tx: Transaction, slug: str) -> bool:
    try:
        project_with(tx, slug)
    except NotFound:
        return False
    return True


def _form(
    request: Request, visit: Visit, action: str, texts: Mapping[str, str], faults: Sequence[FieldFault] = ()
) -> Response:
    title = translate_for(request, PHRASES)("new" if action == NEW else "change")
    fields = (ModelField("slug"), *FIELDS) if action == NEW else FIELDS
    return show_form(
        request, visit, "projects", PHRASES, fields, title=title, action=action, texts=texts, faults=faults, back=PATH
    )
