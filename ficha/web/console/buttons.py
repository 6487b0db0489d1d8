"""/admin/botones: the navigation buttons, active or not; an administrator makes and changes them."""

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.navigation_buttons import (
    NavigationButton,
    NavigationButtonFields,
    navigation_buttons,
    place_of,
    put_navigation_button,
)
from ficha.administration.services import services
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Reading
from ficha.web.console.catalogue_phrases import BUTTONS as PHRASES
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_list, translate_for
from ficha.web.console.numbered_forms import NumberedForms, declare_forms
from ficha.web.kit.lists import PAGE_SIZE, Cell, FilterChoice, Row, Search, Table, code, cut, page_link
from ficha.web.kit.model_forms import ModelField
from ficha.web.kit.signed_in import signed_in_routes

routes = signed_in_routes()

PATH = "/admin/botones"
COLUMNS = ("number", "field_label", "field_url", "field_service_id", "field_position", "field_is_active")
# Of services to choose from.
MOST_CHOICES = 200


def _services(tx: Transaction) -> Mapping[str, Sequence[FilterChoice]]:
    found = services(tx, after=0, limit=MOST_CHOICES, only_active=False)
    return {"service_id": [FilterChoice("", "–"), *(FilterChoice(str(each.id), each.name) for each in found)]}


FORMS = NumberedForms(
    "buttons",
    PATH,
    NavigationButton,
    NavigationButtonFields,
    (
        ModelField("external_id"),
        ModelField("label"),
        ModelField("url"),
        ModelField("service_id", "choice", is_number=True),
        ModelField("icon"),
        ModelField("color"),
        ModelField("position", is_number=True),
        ModelField("is_active", "checkbox"),
    ),
    put_navigation_button,
    PHRASES,
    _services,
)


@routes.page(PATH)
def buttons_page(
    request: Request, reading: Reading, visit: StaffVisit, q: Search = "", cursor: Cursor = None
) -> Response:
    t = translate_for(request, PHRASES)
    found = navigation_buttons(reading, after=row_before(cursor, 0), limit=PAGE_SIZE + 1, only_active=False, search=q)
    shown, following = cut(found, place_of)
    rows = [
        Row(
            [
                Cell(str(row.id)),
                Cell(row.label, link=f"{PATH}/{row.id}" if visit.is_admin else ""),
                code(row.url),
                Cell("–" if row.service_id is None else str(row.service_id)),
                Cell(str(row.position)),
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
    return show_list(request, visit, "buttons", PHRASES, table, lead=t("lead"), new_link=new_link, new_label=t("new"))


declare_forms(routes, FORMS)
