"""/admin/servicios, /admin/botones and /admin/proyectos: lists and forms, made from what is declared of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.administration.navigation_buttons import BUTTONS
from ficha.administration.projects import PROJECTS, Project, access_link, project_with
from ficha.administration.resources import DeclaredResource
from ficha.administration.services import SERVICES
from ficha.core.errors import FichaError, NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.web.console.door import AdminVisit, StaffVisit, Visit
from ficha.web.console.forms import faults_in, show_form
from ficha.web.console.frame import go_on, show_console, show_list, translate_for
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import Phrases, Translate
from ficha.web.kit.lists import (
    PAGE_SIZE,
    Cell,
    Filter,
    FilterChoice,
    Row,
    RowAction,
    Search,
    SlugPath,
    code,
    moment,
    page_of,
)
from ficha.web.kit.model_forms import ModelField, read_model, stored_texts
from ficha.web.kit.rendering import shown_time
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

routes = signed_in_routes()

COMMON = page_texts("console", "resources")
Choices = Mapping[str, Sequence[FilterChoice]]
# Of services to choose from.
MOST_CHOICES = 200


class AddressNameMissing(FichaError):
    status = 422
    code = "falta_nombre"
    message = "Dé un nombre para direcciones, como ambulancias: letras minúsculas, cifras y guiones."


class NameInUse(FichaError):
    """The form for a new row must not replace another by its name."""

    status = 409
    code = "nombre_en_uso"
    message = "Ya hay uno con ese nombre. Elija otro, o cambie el que existe."


@dataclass(frozen=True)
class ResourcePages:
    """What the pages of one resource have besides its declaration: a section of the menu, how an address names a row,
    and what can be done with a row of the list."""

    section: str
    path: str
    declared: DeclaredResource
    more_phrases: Phrases = field(default_factory=dict)
    name_in_path: Any = Annotated[int, Path(alias="row_id", ge=1, le=MAX_ID)]
    actions: Callable[[Translate, Any], Sequence[RowAction]] = lambda _t, _row: ()

    @property
    def phrases(self) -> Phrases:
        """Those of the fields are `field_…` and `hint_…`."""
        form = self.declared.form.items()
        labels = {f"field_{name}": label.words for name, label in form}
        hints = {f"hint_{name}": label.hint for name, label in form if label.hint is not None}
        return {**COMMON, **labels, **hints, **self.declared.texts, **self.more_phrases}

    @property
    def new_path(self) -> str:
        return f"{self.path}/nuevo"

    @property
    def row_path(self) -> str:
        return f"{self.path}/{{{self.name_in_path.__metadata__[0].alias}}}"

    def fields(self, *, is_new: bool = False) -> list[ModelField]:
        """A key that is not among the fields is asked for once, when the row is made."""
        declared = self.declared
        return [
            ModelField(name, "text" if label.kind == "code" else label.kind)
            for name, label in declared.form.items()
            if is_new or name in declared.fields.model_fields
        ]

    def show_list(
        self,
        request: Request,
        visit: Visit,
        found: Sequence[Any],
        cursor: str | None,
        *,
        has_search: bool = False,
        search: str = "",
        filters: Sequence[Filter] = (),
        new_link: str = "",
    ) -> Response:
        t = translate_for(request, self.phrases)
        table = page_of(
            t,
            self.path,
            [f"field_{name}" for name in self.declared.columns],
            found,
            lambda row: Row([self._cell(t, row, name, visit) for name in self.declared.columns], self.actions(t, row)),
            "none",
            cursor,
            row_id=self.declared.place,
            search_label="search_name" if has_search else "",
            search=search,
            filters=filters,
        )
        new = {"new_link": new_link, "new_label": t("new")} if new_link else {}
        return show_list(request, visit, self.section, self.phrases, table, lead=t("lead"), **new)

    def _cell(self, t: Translate, row: Any, name: str, visit: Visit) -> Cell:
        value, label = getattr(row, name), self.declared.form.get(name)
        if name == self.declared.title:
            return Cell(value, link=f"{self.path}/{row.resource_id}" if visit.is_admin else "")
        if isinstance(value, datetime):
            return moment(value)
        if isinstance(value, bool):
            return Cell(t("yes" if value else "no"))
        if isinstance(value, StrEnum):
            return Cell(t(f"{name}_{value}"))
        text = "–" if value is None else str(value)
        return code(text) if label is not None and label.kind == "code" else Cell(text)

    def show_form(
        self,
        request: Request,
        visit: Visit,
        action: str,
        texts: Mapping[str, str],
        faults: Sequence[FieldFault] = (),
        *,
        choices: Mapping[str, Sequence[FilterChoice]],
        title: str = "",
    ) -> Response:
        is_new = action == self.new_path
        return show_form(
            request,
            visit,
            self.section,
            self.phrases,
            self.fields(is_new=is_new),
            title=title or translate_for(request, self.phrases)("new" if is_new else "change"),
            action=action,
            texts=texts,
            faults=faults,
            choices=choices,
            back=self.path,
        )


def declare_pages(pages: ResourcePages, choices: Callable[[Transaction], Choices] = lambda _session: {}) -> None:
    """A list with a search, a form for a new row and one that changes a row."""
    declared, path, new_path = pages.declared, pages.path, pages.new_path

    @routes.page(path)
    def list_page(
        request: Request, reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None
    ) -> Response:
        found = declared.rows(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, search=q)
        new_link = new_path if visit.is_admin else ""
        return pages.show_list(request, visit, found, cursor, has_search=True, search=q, new_link=new_link)

    @routes.page(new_path)
    def new_page(request: Request, reading: Reading, visit: AdminVisit) -> Response:
        return pages.show_form(request, visit, new_path, {"is_active": "1"}, choices=choices(reading))

    @routes.post(new_path)
    def make(request: Request, db: Db, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
        def save() -> None:
            given, name = read_model(declared.fields, pages.fields(), form), form.get(declared.key, "").strip()
            if not name:
                raise AddressNameMissing
            if declared.find(db, name) is not None:
                raise NameInUse
            declared.put(db, name, given, visit.actor, now)

        if faults := faults_in(db, declared.key, save):
            return pages.show_form(request, visit, new_path, form, faults, choices=choices(db))
        return go_on(request, path, "saved")

    def change_page(request: Request, reading: Reading, visit: AdminVisit, name: str) -> Response:
        found = declared.find(reading, str(name))
        if found is None:
            raise NotFound
        texts = stored_texts({field: getattr(found, field) for field in declared.fields.model_fields})
        return pages.show_form(request, visit, f"{path}/{name}", texts, choices=choices(reading))

    def change(request: Request, db: Db, visit: AdminVisit, now: Now, name: str, form: PostedForm) -> Response:
        if declared.find(db, str(name)) is None:
            raise NotFound

        def save() -> None:
            declared.put(db, str(name), read_model(declared.fields, pages.fields(), form), visit.actor, now)

        if faults := faults_in(db, declared.key, save):
            return pages.show_form(request, visit, f"{path}/{name}", form, faults, choices=choices(db))
        return go_on(request, path, "saved")

    # As FastAPI would read it from the signature.
    change_page.__annotations__["name"] = change.__annotations__["name"] = pages.name_in_path
    routes.page(pages.row_path)(change_page)
    routes.post(pages.row_path)(change)


def _services(tx: Transaction) -> Choices:
    found = SERVICES.rows(tx, limit=MOST_CHOICES)
    return {"service_id": [FilterChoice("", "–"), *(FilterChoice(str(each.id), each.name) for each in found)]}


def _link_to(t: Translate, project: Project) -> Sequence[RowAction]:
    link = RowAction(t("get_link"), f"/admin/proyectos/{project.slug}/enlace", project.name)
    return [link] if project.is_active else ()


SERVICE_PAGES = ResourcePages("services", "/admin/servicios", SERVICES)
BUTTON_PAGES = ResourcePages("buttons", "/admin/botones", BUTTONS)
PROJECT_PAGES = ResourcePages(
    "projects", "/admin/proyectos", PROJECTS, page_texts("console", "projects"), SlugPath, _link_to
)

declare_pages(SERVICE_PAGES)
declare_pages(BUTTON_PAGES, _services)
declare_pages(PROJECT_PAGES)


@routes.page(PROJECT_PAGES.row_path + "/enlace")
def project_link(
    request: Request, reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, slug: SlugPath
) -> Response:
    """A signed link to a project, to be given to somebody."""
    project, settings = project_with(reading, slug), parts.settings
    url, ends = access_link(parts.secrets, project, settings.public_url, now, settings.project_link_minutes)
    t = translate_for(request, PROJECT_PAGES.phrases)
    return show_console(
        request,
        visit,
        "console/project_link.html",
        "projects",
        PROJECT_PAGES.phrases,
        title=t("link_to", name=project.name),
        url=url,
        how=t("link_how", until=shown_time(request, ends)),
        back=PROJECT_PAGES.path,
    )
