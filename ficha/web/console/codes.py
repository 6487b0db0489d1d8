"""/admin/codigos: every code and what became of it, for administrators. Whose it is is not told."""

import re
from typing import Annotated, Literal

from fastapi import Path, Query
from starlette.responses import Response

from ficha.accounts.people_list import names_of
from ficha.accounts.tokens import MAX_ID
from ficha.core.errors import NotFound
from ficha.core.ids import code_number, numbered_code
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.products.inventory import ListedCode, list_codes, listed_code, ship_codes, void_codes
from ficha.products.product import LIVE, LedgerRow, LedgerState, ProductState, ledger_of
from ficha.web.console.change_sentences import Names, accounts_named, person_words
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit
from ficha.web.kit.lists import PAGE_SIZE, Cell, Search, code
from ficha.web.kit.sections import Columns, facts_of, go_on, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "codes")

section = MenuSection("codes", PHRASES)
routes, PATH = section.routes, section.path

Code = Annotated[str, Path(pattern=r"^[A-Za-z0-9]{6}$")]
# As people copy a code: with spaces or a hyphen. What no code begins with finds none.
BETWEEN = re.compile(r"[\s-]")
STARTS = re.compile(r"[A-Za-z0-9]{0,6}")
COLUMNS: Columns[ListedCode] = {
    "code": lambda _t, listed: code(listed.product.code, f"{PATH}/{listed.product.code}"),
    "state": lambda t, listed: t(f"became_{_fate(listed)}"),
    "batch": lambda _t, listed: _batch(listed.product.batch_id),
    "issued": lambda _t, listed: listed.product.issued_at,
    "claimed": lambda _t, listed: listed.product.claimed_at,
    "ended": lambda _t, listed: listed.product.ended_at,
}
# What became of a code, as it is chosen and shown here. The inventory knows only that somebody claimed it: what its
# owner made of it since says the sticker.
FATES: dict[str, tuple[LedgerState, tuple[ProductState, ...]]] = {
    "printed": (LedgerState.PRINTED, ()),
    "shipped": (LedgerState.SHIPPED, ()),
    "claimed": (LedgerState.CLAIMED, LIVE),
    "lost": (LedgerState.CLAIMED, (ProductState.LOST,)),
    "retired": (LedgerState.CLAIMED, (ProductState.RETIRED,)),
    "void": (LedgerState.VOID, ()),
}
Fate = Literal["", "printed", "shipped", "claimed", "lost", "retired", "void"]


@routes.page(PATH)
def codes_page(
    reading: Reading,
    visit: AdminVisit,
    q: Search = "",
    estado: Annotated[Fate, Query()] = "",
    lote: Annotated[Literal[""] | Annotated[int, Query(ge=1, le=MAX_ID)], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    after = row_before(cursor, 0)
    state, product_states = FATES[estado] if estado else (None, ())
    starts = BETWEEN.sub("", q)
    can_be = STARTS.fullmatch(starts) is not None
    found = list_codes(
        reading,
        batch_id=lote or None,
        state=state,
        product_states=product_states,
        starts=starts if can_be else "",
        after=numbered_code(after) if after else "",
        limit=PAGE_SIZE + 1 if can_be else 0,
    )
    return section.show_list(
        visit,
        COLUMNS,
        found,
        cursor,
        row_id=lambda listed: code_number(listed.product.code),
        search=q,
        filters=[section.filter(visit, "estado", "state", FATES, estado, "became")],
        kept={"lote": str(lote)},
    )


@routes.page(PATH + "/{code_text}")
def code_page(reading: Reading, visit: AdminVisit, code_text: Code) -> Response:
    """The code, and all that happened to it."""
    listed, t = _listed(reading, code_text), section.translate(visit)
    here = f"{PATH}/{listed.product.code}"
    happened = ledger_of(reading, listed.product.code, listed.product.batch_id)
    names = names_of(reading, accounts_named(row.by for row in happened))
    return section.show(
        visit,
        "console/code.html",
        title=listed.product.code,
        facts=facts_of(t, COLUMNS, listed)[1:],
        history=table_of(t, here, _history_columns(names), happened),
        is_free=listed.state in (LedgerState.PRINTED, LedgerState.SHIPPED),
        here=here,
    )


@routes.post(PATH + "/{code_text}")
def ship(db: Db, visit: AdminVisit, now: Now, code_text: Code) -> Response:
    ship_codes(db, [code_text], now, str(visit.actor))
    return go_on(visit, f"{PATH}/{code_text.upper()}", "shipped")


@routes.page(PATH + "/{code_text}/anular")
def ask_void(reading: Reading, visit: AdminVisit, code_text: Code) -> Response:
    found = _listed(reading, code_text).product.code
    return section.ask(visit, "void", f"{PATH}/{found}/anular", f"{PATH}/{found}", code=found)


@routes.post(PATH + "/{code_text}/anular")
def void(db: Db, visit: AdminVisit, now: Now, code_text: Code) -> Response:
    void_codes(db, [code_text], now, str(visit.actor))
    return go_on(visit, f"{PATH}/{code_text.upper()}", "voided")


def _history_columns(names: Names) -> Columns[LedgerRow]:
    return {
        "when": lambda _t, row: row.at,
        "state": lambda t, row: t(f"became_{row.state}"),
        "who": lambda t, row: person_words(t, row.by, names),
    }


def _listed(tx: Transaction, code_text: str) -> ListedCode:
    found = listed_code(tx, code_text)
    if found is None:
        raise NotFound
    return found


def _fate(listed: ListedCode) -> str:
    """A key of FATES."""
    is_claimed = listed.state is LedgerState.CLAIMED
    return listed.product.state if is_claimed and listed.product.state not in LIVE else listed.state.value


def _batch(batch_id: int | None) -> Cell | None:
    return None if batch_id is None else Cell(str(batch_id), link=f"/admin/lotes/{batch_id}")
