"""/admin/lotes: batches of codes to be printed, for administrators: made, shipped, voided."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.cards.stickers import Paper, StickerFormat
from ficha.core.text_types import Etiqueta
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.products.batches import Batch, batch_with, make_batch
from ficha.products.inventory import count_by_state, list_batches, ship_batch, void_batch
from ficha.products.sealed_tags import parts_of
from ficha.web.console.door import AdminVisit, Visit
from ficha.web.console.forms import faults_in, show_form
from ficha.web.console.frame import go_on, show_console, show_list, translate_for
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, FilterChoice, Row, RowNumber, Table, code, moment, page_of
from ficha.web.kit.model_forms import ModelField, ShownField, read_model
from ficha.web.kit.rendering import shown_time
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "batches")

routes = signed_in_routes()

PATH, NEW = "/admin/lotes", "/admin/lotes/nuevo"
FIELDS = (ModelField("count"), ModelField("label"))


class BatchForm(BaseModel):
    """As the operation takes it."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    count: int = Field(ge=1, le=10_000_000)
    label: Etiqueta | None = None


@routes.page(PATH)
def batches_page(request: Request, reading: Reading, visit: AdminVisit, cursor: Cursor = None) -> Response:
    t = translate_for(request, PHRASES)
    found = list_batches(reading, before=row_before(cursor, MAX_ID), limit=PAGE_SIZE + 1)
    columns = ("number", "label", "made", "made_at", "made_by", "tags")
    table = page_of(t, PATH, columns, found, lambda batch: Row(_cells(request, t, batch)), "batches_none", cursor)
    lead = t("batches_lead")
    return show_list(request, visit, "batches", PHRASES, table, lead=lead, new_link=NEW, new_label=t("new"))


@routes.page(NEW)
def new_batch_page(request: Request, visit: AdminVisit) -> Response:
    return _form(request, visit, {})


@routes.post(NEW)
def make(request: Request, db: Db, parts: AskedParts, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
    def save() -> None:
        given = read_model(BatchForm, FIELDS, form)
        make_batch(
            db,
            parts.keyring,
            given.count,
            now,
            by=str(visit.actor),
            label=given.label or "",
            largest=parts.settings.batch_codes,
            tag_days=parts.settings.tag_days,
        )

    if faults := faults_in(db, "count", save):
        return _form(request, visit, form, faults)
    return go_on(request, PATH, "made")


@routes.page(PATH + "/{batch_id}")
def batch_page(request: Request, reading: Reading, visit: AdminVisit, batch_id: RowNumber) -> Response:
    batch = batch_with(reading, batch_id)
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{batch_id}"
    counts = count_by_state(reading, batch_id).items()
    rows = [Row([Cell(t(f"became_{state}")), Cell(str(number))]) for state, number in counts]
    labels = [t(key) for key in ("label", "made", "made_at", "made_by", "tags")]
    return show_console(
        request,
        visit,
        "console/batch.html",
        "batches",
        PHRASES,
        title=t("batch_title", id=batch_id),
        facts=list(zip(labels, _cells(request, t, batch)[1:], strict=True)),
        counts=Table(here, [t("state"), t("count")], rows, ""),
        codes_link=f"/admin/codigos?lote={batch_id}",
        printing=printing_fields(t, reading, batch),
        here=here,
    )


@routes.post(PATH + "/{batch_id}")
def ship(request: Request, db: Db, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    ship_batch(db, batch_id, now, str(visit.actor))
    return go_on(request, f"{PATH}/{batch_id}", "shipped")


@routes.page(PATH + "/{batch_id}/anular")
def ask_void(request: Request, reading: Reading, visit: AdminVisit, batch_id: RowNumber) -> Response:
    return ask_about_batch(request, reading, visit, batch_id, "void", "anular")


@routes.post(PATH + "/{batch_id}/anular")
def void(request: Request, db: Db, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    void_batch(db, batch_id, now, str(visit.actor))
    return go_on(request, f"{PATH}/{batch_id}", "voided")


def ask_about_batch(
    request: Request, reading: Transaction, visit: Visit, batch_id: int, phrase: str, step: str
) -> Response:
    """Asks before a step that cannot be undone. Raises BatchUnknown."""
    batch_with(reading, batch_id)
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{batch_id}"
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "batches",
        PHRASES,
        title=t(f"{phrase}_ask", id=batch_id),
        how=t(f"{phrase}_how"),
        is_final=True,
        action=f"{here}/{step}",
        label=t(phrase),
        back=here,
    )


def _form(request: Request, visit: Visit, texts: Mapping[str, str], faults: Sequence[FieldFault] = ()) -> Response:
    title = translate_for(request, PHRASES)("new")
    return show_form(
        request, visit, "batches", PHRASES, FIELDS, title=title, action=NEW, texts=texts, faults=faults, back=PATH
    )


def _cells(request: Request, t: Translate, batch: Batch) -> list[Cell]:
    until = shown_time(request, batch.tags_until)
    return [
        Cell(str(batch.id), link=f"{PATH}/{batch.id}"),
        Cell(batch.label or "–"),
        Cell(f"{batch.made} / {batch.count}"),
        moment(batch.made_at),
        code(batch.made_by),
        Cell(t("tags_kept", until=until) if batch.has_tags else t("tags_gone")),
    ]


def printing_fields(t: Translate, tx: Transaction, batch: Batch) -> list[ShownField]:
    """None once its tags are destroyed."""
    if not batch.has_tags:
        return []
    parts = len(parts_of(tx, batch.id))
    formats = [FilterChoice(each.value, t(f"format_{each}")) for each in StickerFormat]
    papers = [FilterChoice(each.value, each.value.capitalize()) for each in Paper]
    return [
        ShownField("pliego", "text", t("field_pliego", parts=parts), "1"),
        ShownField("formato", "choice", t("field_formato"), StickerFormat.ROUND, choices=formats),
        ShownField("papel", "choice", t("field_papel"), Paper.A4, choices=papers),
    ]
