"""/admin/codigos: every code and what became of it, for administrators. Whose it is is not told."""

from typing import Annotated, Literal

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.core.errors import NotFound
from ficha.core.ids import code_number, numbered_code
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.products.inventory import ListedCode, list_codes, listed_code, ship_codes, void_codes
from ficha.products.ledger import LedgerRow, LedgerState, ledger_of
from ficha.web.console.door import AdminVisit
from ficha.web.console.frame import go_on, show_console, show_list, translate_for
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, Table, code, filter_of, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "codes")

routes = signed_in_routes()

PATH = "/admin/codigos"
COLUMNS = ("code", "state", "batch", "issued", "claimed", "ended")
Code = Annotated[str, Path(pattern=r"^[A-Za-z0-9]{6}$")]
Starts = Annotated[str, Query(max_length=6, pattern=r"^[A-Za-z0-9]*$")]


@routes.page(PATH)
def codes_page(
    request: Request,
    reading: Reading,
    visit: AdminVisit,
    q: Starts = "",
    estado: Annotated[LedgerState | Literal[""], Query()] = "",
    lote: Annotated[Literal[""] | Annotated[int, Query(ge=1, le=MAX_ID)], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    t = translate_for(request, PHRASES)
    after = row_before(cursor, 0)
    found = list_codes(
        reading,
        batch_id=lote or None,
        state=LedgerState(estado) if estado else None,
        starts=q,
        after=numbered_code(after) if after else "",
        limit=PAGE_SIZE + 1,
    )
    table = page_of(
        t,
        PATH,
        COLUMNS,
        found,
        lambda listed: Row(_cells(t, listed)),
        "codes_none",
        cursor,
        row_id=lambda listed: code_number(listed.product.code),
        search_label="codes_search",
        search=q,
        filters=[filter_of(t, "estado", "state", LedgerState, estado, "became")],
        kept={"lote": str(lote)},
    )
    return show_list(request, visit, "codes", PHRASES, table, lead=t("codes_lead"))


@routes.page(PATH + "/{code_text}")
def code_page(request: Request, reading: Reading, visit: AdminVisit, code_text: Code) -> Response:
    """The code, and all that happened to it."""
    listed = listed_code(reading, code_text)
    if listed is None:
        raise NotFound
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{listed.product.code}"
    history = [_happened(t, row) for row in ledger_of(reading, listed.product.code, listed.product.batch_id)]
    return show_console(
        request,
        visit,
        "console/code.html",
        "codes",
        PHRASES,
        title=listed.product.code,
        facts=list(zip([t(key) for key in COLUMNS], _cells(t, listed), strict=True))[1:],
        history=Table(here, [t(key) for key in ("when", "state", "who")], history, ""),
        is_free=listed.state in (LedgerState.PRINTED, LedgerState.SHIPPED),
        here=here,
    )


@routes.post(PATH + "/{code_text}")
def ship(request: Request, db: Db, visit: AdminVisit, now: Now, code_text: Code) -> Response:
    ship_codes(db, [code_text], now, str(visit.actor))
    return go_on(request, f"{PATH}/{code_text.upper()}", "shipped")


@routes.page(PATH + "/{code_text}/anular")
def ask_void(request: Request, reading: Reading, visit: AdminVisit, code_text: Code) -> Response:
    listed = listed_code(reading, code_text)
    if listed is None:
        raise NotFound
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{listed.product.code}"
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "codes",
        PHRASES,
        title=t("void_ask", code=listed.product.code),
        how=t("void_how"),
        is_final=True,
        action=f"{here}/anular",
        label=t("void"),
        back=here,
    )


@routes.post(PATH + "/{code_text}/anular")
def void(request: Request, db: Db, visit: AdminVisit, now: Now, code_text: Code) -> Response:
    void_codes(db, [code_text], now, str(visit.actor))
    return go_on(request, f"{PATH}/{code_text.upper()}", "voided")


def _cells(t: Translate, listed: ListedCode) -> list[Cell]:
    product, batch_id = listed.product, listed.product.batch_id
    return [
        code(product.code, f"{PATH}/{product.code}"),
        Cell(t(f"became_{listed.state}")),
        Cell("–") if batch_id is None else Cell(str(batch_id), link=f"/admin/lotes/{batch_id}"),
        moment(product.issued_at),
        moment(product.claimed_at),
        moment(product.ended_at),
    ]


def _happened(t: Translate, row: LedgerRow) -> Row:
    return Row([moment(row.at), Cell(t(f"became_{row.state}")), code(row.by)])
