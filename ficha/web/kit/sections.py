"""The sections of a menu, as the console and the pages of institutions have them: what all pages of one share, and its
lists, forms and questions as they show them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import Phrases, Translate, language_of, translator
from ficha.web.kit.lists import (
    Cell,
    Filter,
    FilterChoice,
    Row,
    RowAction,
    Table,
    filter_of,
    moment,
    page_of,
    with_query,
)
from ficha.web.kit.model_forms import ModelField, ShownField, WrongForm, faults_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "sections")

T = TypeVar("T")

# Where the address says what was done, so that a page that is loaded again does nothing twice.
DONE = "hecho"
# What a person can correct in a form; anything else is an error of its own.
CORRECTABLE = (409, 422)

CellValue = Cell | str | int | datetime | None
# The columns of a list by the keys of their phrases, each with what it shows of a row.
Columns = Mapping[str, Callable[[Translate, T], CellValue]]
Choices = Mapping[str, Sequence[FilterChoice]]


class MenuEntry(NamedTuple):
    """A page of the menu. Its name is also the key of its title."""

    name: str
    path: str


class PageVisit(Protocol):
    """Somebody who was let in, and what she asks for."""

    @property
    def request(self) -> Request: ...


V = TypeVar("V", bound=PageVisit)


class MenuPages(Generic[V]):
    """The pages below one entry of a menu: their phrases, and their routes, which are of their own unless given. A
    menu is a class of its own, which says what is in it and in which template its pages are framed."""

    frame: str

    def __init__(self, name: str, phrases: Phrases, routes: Routes | None = None) -> None:
        self.name, self.phrases = name, {**PHRASES, **phrases}
        self.routes = routes or signed_in_routes()

    def menu(self, visit: V) -> Sequence[MenuEntry]:
        raise NotImplementedError

    def path_for(self, visit: V) -> str:
        """Where the section begins."""
        return next(entry.path for entry in self.menu(visit) if entry.name == self.name)

    def translate(self, visit: V) -> Translate:
        return translator(language_of(visit.request), self.phrases)

    def word_of(self, t: Translate, kind: str, value: str) -> str:
        """The words for a stored value, such as a state; the value itself where there are none yet."""
        key = f"{kind}_{value}"
        return t(key) if key in self.phrases else value

    def show(
        self,
        visit: V,
        template: str,
        *,
        faults: Sequence[FieldFault] = (),
        done_values: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Response:
        """A page; with faults, a form to be corrected. `done_values` are those of the sentence about what was done."""
        done = f"done_{visit.request.query_params.get(DONE, '')}"
        return show(
            visit.request,
            template,
            self.phrases,
            status=422 if faults else 200,
            frame=self.frame,
            section=self.name,
            sections=self.menu(visit),
            done=self.translate(visit)(done, **(done_values or {})) if done in self.phrases else "",
            faults=list(faults),
            **values,
        )

    def show_list(
        self,
        visit: V,
        columns: Columns[T],
        found: Sequence[T],
        cursor: str | None,
        *,
        what: str = "",
        path: str = "",
        search: str | None = None,
        lead: Mapping[str, str] | None = None,
        new_path: str = "",
        **more: Any,
    ) -> Response:
        """A page that is one list: `what` is the key of its title, and begins those of what it says besides (_lead,
        _none, _search). Without `search` there is nothing to search; `lead` are values of the sentence above it;
        `new_path` leads to the form for another row, and `more` is for `page_of`."""
        what = what or self.name
        if search is not None:
            more |= {"search_label": f"{what}_search", "search": search}
        table = list_page(
            self.translate(visit), path or self.path_for(visit), columns, found, f"{what}_none", cursor, **more
        )
        return self.show_table(visit, table, what, lead or {}, new_path)

    def show_table(
        self, visit: V, table: Table, what: str, lead: Mapping[str, str] | None = None, new_path: str = ""
    ) -> Response:
        t = self.translate(visit)
        return self.show(
            visit,
            "kit/sections/list.html",
            title=t(what),
            table=table,
            lead=t(f"{what}_lead", **(lead or {})),
            new_link=new_path,
            new_label=t(f"{what}_new" if f"{what}_new" in self.phrases else "new") if new_path else "",
        )

    def filter(self, visit: V, name: str, key: str, values: Iterable[str], chosen: str, prefix: str = "") -> Filter:
        return filter_of(self.translate(visit), name, key, values, chosen, prefix)

    def fields(
        self, visit: V, fields: Sequence[ModelField], texts: Mapping[str, str], choices: Choices | None = None
    ) -> list[ShownField]:
        """Labels are the phrases `field_…`, hints `hint_…`, where there are any."""
        t = self.translate(visit)
        return [
            ShownField(
                field.name,
                field.kind,
                t(f"field_{field.name}"),
                texts.get(field.name, ""),
                t(f"hint_{field.name}") if f"hint_{field.name}" in self.phrases else "",
                (choices or {}).get(field.name, ()),
            )
            for field in fields
        ]

    def show_form(
        self,
        visit: V,
        fields: Sequence[ModelField],
        texts: Mapping[str, str],
        faults: Sequence[FieldFault] = (),
        *,
        title: str,
        action: str,
        back: str,
        choices: Choices | None = None,
    ) -> Response:
        """A page that is one form, with what was typed."""
        return self.show(
            visit,
            "kit/sections/form.html",
            faults=faults,
            title=title,
            lead="",
            action=action,
            fields=self.fields(visit, fields, texts, choices),
            label=self.translate(visit)("save"),
            back=back,
        )

    def ask(
        self,
        visit: V,
        phrase: str,
        action: str,
        back: str,
        *,
        how: str = "",
        label: str = "",
        is_final: bool = True,
        kept: Mapping[str, str] | None = None,
        **about: object,
    ) -> Response:
        """Asks before something is done that somebody may regret: the phrases are `…_ask` with what it is about,
        `…_how`, and for the button the phrase itself, unless others are named. What is `kept` is sent along."""
        t = self.translate(visit)
        return self.show(
            visit,
            "kit/sections/confirm.html",
            title=t(f"{phrase}_ask", **about),
            how=t(how or f"{phrase}_how"),
            is_final=is_final,
            kept=kept or {},
            action=action,
            label=t(label or phrase),
            back=back,
        )


def table_of(
    t: Translate,
    path: str,
    columns: Columns[T],
    rows: Iterable[T],
    empty: str = "",
    actions: Callable[[T], Sequence[RowAction]] = lambda _row: (),
) -> Table:
    """All rows on one page. `empty` is the key of what is said if there are none."""
    shown = [Row(cells_of(t, columns, row), actions(row)) for row in rows]
    return Table(path, [t(key) for key in columns], shown, t(empty) if empty else "")


def list_page(
    t: Translate,
    path: str,
    columns: Columns[T],
    found: Sequence[T],
    empty: str,
    cursor: str | None,
    *,
    actions: Callable[[T], Sequence[RowAction]] = lambda _row: (),
    **more: Any,
) -> Table:
    """A page out of `found`, as `page_of` makes it."""
    return page_of(
        t, path, columns, found, lambda row: Row(cells_of(t, columns, row), actions(row)), empty, cursor, **more
    )


def facts_of(t: Translate, columns: Columns[T], row: T) -> list[tuple[str, Cell]]:
    """What the columns show of one row, each with its label."""
    return list(zip([t(key) for key in columns], cells_of(t, columns, row), strict=True))


def cells_of(t: Translate, columns: Columns[T], row: T) -> list[Cell]:
    return [cell_of(t, show_value(t, row)) for show_value in columns.values()]


def cell_of(t: Translate, value: CellValue) -> Cell:
    if isinstance(value, Cell):
        return value
    if isinstance(value, bool):
        return Cell(t("yes" if value else "no"))
    if isinstance(value, datetime):
        return moment(value)
    return Cell("–" if value is None else str(value))


def faults_in(db: Transaction, first_field: str, save: Callable[[], object]) -> Sequence[FieldFault]:
    """Saves, and says what must be corrected: nothing if it was saved. What was begun is undone otherwise."""
    try:
        save()
        return ()
    except WrongForm as wrong:
        return wrong.faults
    except FichaError as error:
        if error.status not in CORRECTABLE:
            raise
        db.rollback()
        return faults_of(error, first_field)


def go_on(visit: PageVisit, path: str, done: str = "") -> Response:
    """After a change: leads to a page that says what was done."""
    return go_to(visit.request, with_query(path, {DONE: done}))
