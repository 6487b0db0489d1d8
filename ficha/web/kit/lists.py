"""Lists as tables, with search, filters and pages: what a view fills in, and `kit/lists.html` shows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple, TypeVar
from urllib.parse import urlencode

from fastapi import Path, Query
from pydantic import AfterValidator

from ficha.accounts.tokens import MAX_ID
from ficha.core.text_types import TextLimits, single_line
from ficha.fmd.dates_and_amounts import time_ago
from ficha.http.cursors import cursor_at, next_cursor
from ficha.web.kit.forms import BadForm
from ficha.web.kit.language import Translate

T = TypeVar("T")

LONGEST_WORD = 18
# How many rows a page has.
PAGE_SIZE = 50

Search = Annotated[
    str,
    TextLimits(120, min_length=None),
    AfterValidator(single_line),
    Query(),
]


# In a path: the number of a row.
RowNumber = Annotated[int, Path(ge=1, le=MAX_ID)]
# The name of one that has a name for addresses.
SlugPath = Annotated[str, Path(alias="slug", max_length=60, pattern=r"^[a-z][a-z0-9_-]*$")]


class Cell(NamedTuple):
    """One value of a row. With a `link`, its text leads there."""

    text: str
    kind: Literal["text", "code", "tags", "time"] = "text"
    link: str = ""
    tags: tuple[str, ...] = ()
    iso: str = ""

    @property
    def is_long(self) -> bool:
        """It has a word that fits no column: an address, say. Other words are never broken."""
        return len(self.text) > LONGEST_WORD and any(len(word) > LONGEST_WORD for word in self.text.split())

    @property
    def is_plain(self) -> bool:
        """Nothing but its text, as most are."""
        return self.kind == "text" and not self.link and not self.is_long


class RowAction(NamedTuple):
    """A button that posts `field` with `value`, or without a field a link: what cannot be undone has a page that asks
    first. `about` says what it is for to those who do not see the row around it."""

    label: str
    link: str
    about: str
    field: str = ""
    value: str = ""


class Row(NamedTuple):
    cells: Sequence[Cell]
    actions: Sequence[RowAction] = ()

    def labelled(self, columns: Sequence[str]) -> Iterable[tuple[str, Cell]]:
        """Each with the name of its column, which stands before it on a phone."""
        return zip(columns, self.cells, strict=True)


class FilterChoice(NamedTuple):
    value: str
    label: str


class Filter(NamedTuple):
    """A list to choose from. The first choice, with an empty value, filters nothing."""

    name: str
    label: str
    choices: Sequence[FilterChoice]
    chosen: str


@dataclass(frozen=True)
class Table:
    """`search_label` is empty where there is nothing to search. `next_link` leads to the next page, if there is one."""

    path: str
    columns: Sequence[str]
    rows: Sequence[Row]
    empty: str
    search_label: str = ""
    search: str = ""
    filters: Sequence[Filter] = ()
    is_first_page: bool = True
    next_link: str = ""
    # Said where a search has not looked at everything yet.
    stopped: str = ""

    @property
    def has_actions(self) -> bool:
        return any(row.actions for row in self.rows)

    @property
    def is_filtered(self) -> bool:
        return bool(self.search) or any(each.chosen for each in self.filters)


def page_of(
    t: Translate,
    path: str,
    columns: Iterable[str],
    found: Sequence[T],
    row: Callable[[T], Row],
    empty: str,
    cursor: str | None,
    *,
    row_id: Callable[[Any], int] = lambda row: row.id,
    search_label: str = "",
    search: str = "",
    filters: Sequence[Filter] = (),
    kept: Mapping[str, str] | None = None,
    stopped_at: int | None = None,
) -> Table:
    """A page out of `found`, which holds one more than PAGE_SIZE if there is another page. Columns, `empty` and
    `search_label` are keys of phrases. The next page has the same search and filters, and what is `kept` besides. A
    search that ended at the row `stopped_at`, before it had looked at all, goes on there."""
    following = next_cursor(found, PAGE_SIZE, row_id)
    stopped = following is None and stopped_at is not None
    asked = {"q": search, **{each.name: each.chosen for each in filters}, **(kept or {})}
    return Table(
        path,
        [t(key) for key in columns],
        [row(each) for each in found[:PAGE_SIZE]],
        t(empty),
        search_label=t(search_label) if search_label else "",
        search=search,
        filters=filters,
        is_first_page=cursor is None,
        next_link=page_link(path, asked, cursor_at(stopped_at) if stopped and stopped_at else following),
        stopped=t("search_stopped") if stopped else "",
    )


def filter_of(t: Translate, name: str, key: str, values: Iterable[str], chosen: str, prefix: str = "") -> Filter:
    """All, or one of the values, whose words are the phrases `{prefix}_{value}`; `key` is the phrase of its label."""
    choices = [FilterChoice(str(value), t(f"{prefix or key}_{value}")) for value in values]
    return Filter(name, t(key), [FilterChoice("", t("all")), *choices], chosen)


def row_number(text: str) -> int:
    """The number of a row that a form names; raises BadForm."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise BadForm
    return int(text)


def page_link(path: str, values: Mapping[str, str], cursor: str | None) -> str:
    """The address of the next page with the same search and filters; empty if there is none."""
    if cursor is None:
        return ""
    return with_query(path, {**values, "cursor": cursor})


def with_query(path: str, values: Mapping[str, str]) -> str:
    kept = {name: value for name, value in values.items() if value}
    return f"{path}?{urlencode(kept)}" if kept else path


def moment(at: datetime | None) -> Cell:
    """A time, or a dash where there is none. The page shows it in its own time zone."""
    if at is None:
        return Cell("–")
    return Cell("", "time", iso=at.isoformat(timespec="seconds"))


def moment_ago(at: datetime | None, now: datetime, language: str) -> Cell:
    """A time, and how long ago it was."""
    return moment(at) if at is None else moment(at)._replace(text=time_ago(at, now, language))


def code(text: str, link: str = "") -> Cell:
    return Cell(text, "code", link)


def tags(texts: Iterable[str]) -> Cell:
    return Cell("", "tags", tags=tuple(texts))
