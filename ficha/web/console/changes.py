"""/admin/cambios: who of the administration changed what, before and after."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import AdminChange, admin_changes
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Reading
from ficha.web.console.door import AdminVisit
from ficha.web.console.frame import show_list, translate_for, word_of
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, Search, code, filter_of, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "changes")

routes = signed_in_routes()

PATH = "/admin/cambios"
KINDS = tuple(key.removeprefix("kind_") for key in PHRASES if key.startswith("kind_"))


@routes.page(PATH)
def changes_page(
    request: Request,
    reading: Reading,
    visit: AdminVisit,
    tipo: Annotated[str, Query(max_length=40, pattern=r"^[a-z_]*$")] = "",
    q: Search = "",
    cursor: Cursor = None,
) -> Response:
    """`q` is the number or the name of what was changed."""
    t = translate_for(request, PHRASES)
    before = row_before(cursor, MAX_ID)
    found = admin_changes(reading, before_id=before, limit=PAGE_SIZE + 1, kind=tipo or None, target=q or None)
    table = page_of(
        t,
        PATH,
        ("when", "who", "kind", "target", "action", "difference"),
        found,
        lambda change: _row(t, change),
        "changes_none",
        cursor,
        search_label="changes_search",
        search=q,
        filters=[filter_of(t, "tipo", "kind", KINDS, tipo)],
    )
    return show_list(request, visit, "changes", PHRASES, table, lead=t("changes_lead"))


def _row(t: Translate, change: AdminChange) -> Row:
    return Row(
        [
            moment(change.at),
            code(change.actor),
            Cell(word_of(t, PHRASES, "kind", change.kind)),
            code(change.target),
            Cell(word_of(t, PHRASES, "action", change.action)),
            Cell(difference(change.before, change.after) or "–"),
        ]
    )


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What is not the same afterwards: `name: "Ana" → "Eva"`."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return "; ".join(f"{name}: {_text(before.get(name))} → {_text(after.get(name))}" for name in names)


def _text(value: object) -> str:
    return "–" if value is None else json.dumps(value, ensure_ascii=False)
