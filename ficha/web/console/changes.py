"""/admin/cambios: who of the administration changed what, before and after."""

import json
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import AdminChange, admin_changes
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Reading
from ficha.web.console.sections import Columns, MenuSection
from ficha.web.console.staff_access import AdminVisit
from ficha.web.kit.lists import PAGE_SIZE, Search, code
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "changes")

section = MenuSection("changes", PHRASES)
routes = section.routes

KINDS = tuple(key.removeprefix("kind_") for key in PHRASES if key.startswith("kind_"))
COLUMNS: Columns[AdminChange] = {
    "when": lambda _t, change: change.at,
    "who": lambda _t, change: code(change.actor),
    "kind": lambda t, change: section.word_of(t, "kind", change.kind),
    "target": lambda _t, change: code(change.target),
    "action": lambda t, change: section.word_of(t, "action", change.action),
    "difference": lambda _t, change: difference(change.before, change.after) or None,
}


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
    return section.show_list(visit, COLUMNS, found, cursor, search=q, filters=filters)


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What is not the same afterwards: `name: "Ana" → "Eva"`."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return "; ".join(f"{name}: {_text(before.get(name))} → {_text(after.get(name))}" for name in names)


def _text(value: object) -> str:
    return "–" if value is None else json.dumps(value, ensure_ascii=False)
