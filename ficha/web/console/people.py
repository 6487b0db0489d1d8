"""/admin/personas: who has an account, and which roles it has. Nothing of a record is shown."""

from typing import Annotated, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Role
from ficha.accounts.people_list import ListedPerson, find_people
from ficha.accounts.tokens import MAX_ID
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Now, Reading
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_list, translate_for
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, Search, filter_of, moment, page_of, tags
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "people")

routes = signed_in_routes()

PATH = "/admin/personas"


@routes.page(PATH)
def people_page(
    request: Request,
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    q: Search = "",
    rol: Annotated[Role | Literal[""], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    t = translate_for(request, PHRASES)
    before = row_before(cursor, MAX_ID)
    found = find_people(reading, now, search=q, role=Role(rol) if rol else None, before=before, limit=PAGE_SIZE + 1)
    table = page_of(
        t,
        PATH,
        ("number", "name", "correo", "roles", "created", "sessions"),
        found,
        lambda person: _row(t, person),
        "people_none",
        cursor,
        search_label="people_search",
        search=q,
        filters=[filter_of(t, "rol", "role", Role, rol)],
    )
    return show_list(request, visit, "people", PHRASES, table, lead=t("people_lead"))


def _row(t: Translate, person: ListedPerson) -> Row:
    return Row(
        [
            Cell(str(person.id)),
            Cell(person.nombre, link=f"{PATH}/{person.id}"),
            Cell(person.correo),
            tags(t(f"role_{role}") for role in person.roles),
            moment(person.created_at),
            Cell(str(person.sessions)),
        ]
    )
