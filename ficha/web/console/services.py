"""/admin/servicios: the services, active or not; an administrator makes and changes them."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.services import Service, ServiceFields, put_service, services
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Reading
from ficha.web.console.catalogue_phrases import SERVICES as PHRASES
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_list, translate_for
from ficha.web.console.numbered_forms import NumberedForms, declare_forms
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, Search, Table, code, cut, page_link
from ficha.web.kit.model_forms import ModelField
from ficha.web.kit.signed_in import signed_in_routes

routes = signed_in_routes()

PATH = "/admin/servicios"
COLUMNS = ("number", "field_name", "field_external_id", "field_path", "field_is_active")
FORMS = NumberedForms(
    "services",
    PATH,
    Service,
    ServiceFields,
    (
        ModelField("external_id"),
        ModelField("name"),
        ModelField("description", "paragraph"),
        ModelField("path"),
        ModelField("template"),
        ModelField("primary_color"),
        ModelField("logo_url"),
        ModelField("logo_alt"),
        ModelField("qr_code_url"),
        ModelField("qr_code_alt"),
        ModelField("is_active", "checkbox"),
    ),
    put_service,
    PHRASES,
)


@routes.page(PATH)
def services_page(
    request: Request, reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None
) -> Response:
    t = translate_for(request, PHRASES)
    found = services(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, only_active=False, search=q)
    shown, following = cut(found, lambda row: row.id)
    rows = [
        Row(
            [
                Cell(str(row.id)),
                Cell(row.name, link=f"{PATH}/{row.id}" if visit.is_admin else ""),
                code(row.external_id or "–"),
                code(row.path or "–"),
                Cell(t("yes" if row.is_active else "no")),
            ]
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
    new_link = FORMS.new_path if visit.is_admin else ""
    return show_list(request, visit, "services", PHRASES, table, lead=t("lead"), new_link=new_link, new_label=t("new"))


declare_forms(routes, FORMS)
