"""Page cursors: an opaque text that says which row the last page of which list ended with."""

import base64
import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, TypeVar

from fastapi import Query

from ficha.core.errors import FichaError, Source

T = TypeVar("T")

# Before the first page of rows that are numbered within one record.
NO_END = 2**31 - 1


class BadCursor(FichaError):
    status = 422
    code = "cursor_invalido"
    message = "Use el cursor tal como llegó en meta.page.next, en la misma lista."
    source = Source("parameter", "cursor")


def next_cursor(found: Sequence[T], size: int, row_id: Callable[[T], int], of: str = "id") -> str | None:
    """For a page of `size` rows out of `found`, which holds one more if there is another page. `of` names the list."""
    return None if len(found) <= size else cursor_at(row_id(found[size - 1]), of)


def cursor_at(row_id: int, of: str = "id") -> str:
    """For a page that begins after this row."""
    return base64.urlsafe_b64encode(f"{of}:{row_id}".encode()).decode().rstrip("=")


def row_before(cursor: str | None, otherwise: int, of: str = "id") -> int:
    """The row where the last page ended, or `otherwise` on the first page; raises BadCursor, for another list's too."""
    if cursor is None:
        return otherwise
    try:
        kind, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii").partition(":")
        row_id = int(number)
    except ValueError:
        kind, row_id = "", 0
    if kind != of or not 0 < row_id < 2**63:
        raise BadCursor
    return row_id


def list_name(path: str, filters: Iterable[tuple[str, str]]) -> str:
    """Of the list at this path, with these parameters besides cursor and size: short, and the same in every process."""
    others = sorted(pair for pair in filters if pair[0] not in ("cursor", "size"))
    return hashlib.sha256(f"{path.lower()}?{others}".encode("utf-8", "replace")).hexdigest()[:8]


Cursor = Annotated[str | None, Query(max_length=64, description="`meta.page.next` of the page before.")]
PageSize = Annotated[int, Query(ge=1, le=200, description="How many per page.")]
