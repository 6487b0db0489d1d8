"""/admin/cambios: who of the administration changed what, before and after, in sentences."""

from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from ficha.accounts.people_list import names_of
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import AdminChange, admin_changes
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Reading
from ficha.web.console.change_sentences import PHRASES, accounts_in, change_sentence
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import PAGE_SIZE, Search
from ficha.web.kit.rendering import service_zone
from ficha.web.kit.sections import Columns

section = MenuSection("changes", PHRASES)
routes = section.routes

KINDS = tuple(key.removeprefix("kind_") for key in PHRASES if key.startswith("kind_"))


@routes.page(section.path)
def changes_page(
    reading: Reading,
    visit: AdminVisit,
    tipo: Annotated[str, Query(max_length=40, pattern=r"^[a-z_]*$")] = "",
    q: Search = "",
    cursor: Cursor = None,
) -> Response:
    """`q` is the number or the name of what was changed."""
    before = row_before(cursor, MAX_ID)
    found = admin_changes(reading, before_id=before, limit=PAGE_SIZE + 1, kind=tipo or None, target=q or None)
    filters = [section.filter(visit, "tipo", "kind", KINDS, tipo)]
    names = names_of(reading, accounts_in(found))
    language, zone = language_of(visit.request), service_zone(visit.request)
    columns: Columns[AdminChange] = {
        "when": lambda _t, change: change.at,
        "what_changed": lambda _t, change: change_sentence(language, change, names, zone),
    }
    return section.show_list(visit, columns, found, cursor, search=q, filters=filters)
