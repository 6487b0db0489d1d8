"""/admin/servicios, /admin/botones and /admin/proyectos: lists and forms, made from what is declared of each."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

from fastapi import Path
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.administration.navigation_buttons import BUTTONS
from ficha.administration.projects import PROJECTS, Project, access_link, project_with
from ficha.administration.resources import DeclaredResource
from ficha.administration.services import SERVICES
from ficha.asgi.routes import Routes
from ficha.core.errors import FichaError, NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, StaffVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import Phrases, Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, FilterChoice, RowAction, Search, SlugPath, code
from ficha.web.kit.model_forms import ModelField, read_model, stored_texts
from ficha.web.kit.rendering import shown_time
from ficha.web.kit.sections import CellValue, Choices, Columns, faults_in, go_on
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

routes = signed_in_routes()

COMMON = page_texts("console", "resources")
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


class ResourcePages(MenuSection):
    """The list and the form of a declared resource. Of its phrases, `field_…` and `hint_…` are those of the form."""

    def __init__(self, name: str, declared: DeclaredResource, phrases: Phrases, routes: Routes = routes) -> None:
        self.declared = declared
        super().__init__(name, {**COMMON, **phrases}, routes)
        self.new_path = f"{self.path}/nuevo"

    def form_fields(self, *, is_new: bool = False) -> list[ModelField]:
        """A key that is not among the fields is asked for once, when the row is made."""
        declared = self.declared
        return [
            ModelField(name, "text" if kind == "code" else kind)
            for name, kind in declared.form.items()
            if is_new or name in declared.fields.model_fields
        ]

    def read(self, form: Mapping[str, str]) -> Any:
        return read_model(self.declared.fields, self.form_fields(), form)

    def columns(self, visit: Visit) -> Columns[Any]:
        return {f"field_{name}": partial(self._value, visit, name) for name in self.declared.columns}

    def _value(self, visit: Visit, name: str, t: Translate, row: Any) -> CellValue:
        value = getattr(row, name)
        if name == self.declared.title:
            return Cell(value, link=f"{self.path}/{row.resource_id}" if visit.is_admin else "")
        if isinstance(value, StrEnum):
            return t(f"{name}_{value}")
        return code("–" if value is None else str(value)) if self.declared.form.get(name) == "code" else value

    def show_rows(self, visit: Visit, found: Sequence[Any], cursor: str | None, **more: Any) -> Response:
        return self.show_list(visit, self.columns(visit), found, cursor, row_id=self.declared.cursor_of, **more)

    def show_row_form(
        self,
        visit: Visit,
        action: str,
        texts: Mapping[str, str],
        faults: Sequence[FieldFault],
        choices: Choices,
        **called: str,
    ) -> Response:
        is_new = action == self.new_path
        title = self.translate(visit)("new" if is_new else "change", **called)
        fields = self.form_fields(is_new=is_new)
        return self.show_form(visit, fields, texts, faults, title=title, action=action, back=self.path, choices=choices)


def declare_pages(
    pages: ResourcePages,
    name_in_path: Any = Annotated[int, Path(alias="row_id", ge=1, le=MAX_ID)],
    *,
    choices: Callable[[Transaction], Choices] = lambda _tx: {},
    actions: Callable[[Translate, Any], Sequence[RowAction]] = lambda _t, _row: (),
) -> None:
    """A list with a search, a form for a new row and one that changes a row; `actions` are what else can be done with
    a row of the list."""
    declared, path, new_path = pages.declared, pages.path, pages.new_path
    row_path = f"{path}/{{{name_in_path.__metadata__[0].alias}}}"

    @routes.page(path)
    def list_page(reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None) -> Response:
        found = declared.rows(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, search=q)
        possible, new = partial(actions, pages.translate(visit)), new_path if visit.is_admin else ""
        return pages.show_rows(visit, found, cursor, search=q, new_path=new, actions=possible)

    @routes.page(new_path)
    def new_page(reading: Reading, visit: AdminVisit) -> Response:
        return pages.show_row_form(visit, new_path, {"is_active": "1"}, (), choices(reading))

    @routes.post(new_path)
    def make(db: Db, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
        def save() -> None:
            given, name = pages.read(form), form.get(declared.key, "").strip()
            if not name:
                raise AddressNameMissing
            if declared.find(db, name) is not None:
                raise NameInUse
            declared.put(db, name, given, visit.actor, now)

        if faults := faults_in(db, declared.key, save):
            return pages.show_row_form(visit, new_path, form, faults, choices(db))
        return go_on(visit, path, "saved")

    @routes.page(row_path)
    def change_page(reading: Reading, visit: AdminVisit, name: name_in_path) -> Response:
        found = declared.find(reading, str(name))
        if found is None:
            raise NotFound
        texts = stored_texts({field: getattr(found, field) for field in declared.fields.model_fields})
        return pages.show_row_form(visit, f"{path}/{name}", texts, (), choices(reading))

    @routes.post(row_path)
    def change(db: Db, visit: AdminVisit, now: Now, name: name_in_path, form: PostedForm) -> Response:
        if declared.find(db, str(name)) is None:
            raise NotFound
        if faults := faults_in(
            db, declared.key, lambda: declared.put(db, str(name), pages.read(form), visit.actor, now)
        ):
            return pages.show_row_form(visit, f"{path}/{name}", form, faults, choices(db))
        return go_on(visit, path, "saved")


def _services(tx: Transaction) -> Choices:
    found = SERVICES.rows(tx, limit=MOST_CHOICES)
    return {"service_id": [FilterChoice("", "–"), *(FilterChoice(str(each.id), each.name) for each in found)]}


def _link_to(t: Translate, project: Project) -> Sequence[RowAction]:
    link = RowAction(t("get_link"), f"{project_pages.path}/{project.slug}/enlace", project.name)
    return [link] if project.is_active else ()


service_pages = ResourcePages("services", SERVICES, page_texts("console", "services"))
button_pages = ResourcePages("buttons", BUTTONS, page_texts("console", "buttons"))
project_pages = ResourcePages("projects", PROJECTS, page_texts("console", "projects"))
declare_pages(service_pages)
declare_pages(button_pages, choices=_services)
declare_pages(project_pages, SlugPath, actions=_link_to)


@routes.page(project_pages.path + "/{slug}/enlace")
def project_link(reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, slug: SlugPath) -> Response:
    """A signed link to a project, to be given to somebody."""
    project, settings = project_with(reading, slug), parts.settings
    url, ends = access_link(parts.secrets, project, settings.public_url, now, settings.project_link_minutes)
    t = project_pages.translate(visit)
    return project_pages.show(
        visit,
        "console/project_link.html",
        title=t("link_to", name=project.name),
        url=url,
        how=t("link_how", until=shown_time(visit.request, ends)),
        back=project_pages.path,
    )
