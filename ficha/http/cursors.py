"""Page cursors: an opaque text that says which row the last page ended with."""

import base64
from typing import Annotated

from fastapi import Query

from ficha.core.errors import FichaError, Source


class BadCursor(FichaError):
    status = 422
    code = "cursor_invalido"
    message = "Use el cursor tal como llegó en meta.page.next."
    source = Source("parameter", "cursor")


def cursor_after(row_id: int) -> str:
    return base64.urlsafe_b64encode(f"id:{row_id}".encode()).decode().rstrip("=")


def row_before(cursor: str | None, otherwise: int) -> int:
    """The row where the last page ended, or `otherwise` on the first page; raises BadCursor."""
    if cursor is None:
        return otherwise
    try:
        kind, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(":")
        row_id = int(number)
    except ValueError:
        kind, row_id = "", 0
    if kind != "id" or not 0 < row_id < 2**63:
        raise BadCursor
    return row_id


Cursor = Annotated[
    str | None,
    Query(max_length=64, description="`meta.page.next` of the page before.", examples=["aWQ6NDI"]),
]
