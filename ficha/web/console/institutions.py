"""/admin/instituciones: who enrols others, as staff see it."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Reading
from ficha.institutions.institution import institutions
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_list, translate_for
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, Search, code, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "institutions")

routes = signed_in_routes()

PATH, NEW = "/admin/instituciones", "/admin/instituciones/nueva"


@routes.page(PATH)
def institutions_page(
    request: Request, reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None
) -> Response:
    t = translate_for(request, PHRASES)
    found = institutions(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, search=q)
    columns = ("number", "name", "slug", "is_active", "created")
    table = page_of(
        t,
        PATH,
        columns,
        found,
        lambda each: Row(
            [
                Cell(str(each.id)),
                Cell(each.name, link=f"{PATH}/{each.slug}"),
                code(each.slug),
                Cell(t("yes" if each.is_active else "no")),
                moment(each.created_at),
            ]
        ),
        "institutions_none",
        cursor,
        search_label="institutions_search",
        search=q,
    )
    new_link, new_label = NEW if visit.is_admin else "", t("institutions_new")
    lead = t("institutions_lead")
    return show_list(request, visit, "institutions", PHRASES, table, lead=lead, new_link=new_link, new_label=new_label)
