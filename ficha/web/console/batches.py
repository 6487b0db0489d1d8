"""/admin/lotes: batches of codes to be printed, for administrators: made, shipped, voided; and for whoever prints one,
its codes as CSV, its stickers as sheets, and the end of its tags once all is printed."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from ficha.accounts.people_list import names_of
from ficha.accounts.tokens import MAX_ID
from ficha.asgi.threads import Pool
from ficha.cards.batch_files import batch_sheet, csv_lines, csv_lines_with_tags
from ficha.cards.printing import FileType
from ficha.cards.stickers import Paper, StickerFormat
from ficha.core.text_types import Etiqueta
from ficha.core.transaction import Transaction
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.file_answers import csv_file, file_response
from ficha.products.batches import Batch, batch_with, make_batch, parts_of
from ficha.products.inventory import (
    TagsDestroyed,
    confirm_sheet,
    count_by_state,
    list_batches,
    ship_batch,
    void_batch,
)
from ficha.web.console.change_sentences import Names, accounts_named, person_words
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import Translate
from ficha.web.kit.lists import PAGE_SIZE, Cell, FilterChoice, RowNumber
from ficha.web.kit.model_forms import ModelField, ShownField, read_model
from ficha.web.kit.rendering import shown_time
from ficha.web.kit.sections import Columns, facts_of, faults_in, go_on, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "batches")

section = MenuSection("batches", PHRASES)
routes, PATH = section.routes, section.path

NEW = f"{PATH}/nuevo"
FIELDS = (ModelField("count"), ModelField("label"))
COUNTS: Columns[tuple[str, int]] = {"state": lambda t, one: t(f"became_{one[0]}"), "count": lambda _t, one: one[1]}


class BatchForm(BaseModel):
    """As the operation takes it."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    count: int = Field(ge=1, le=10_000_000)
    label: Etiqueta | None = None


@routes.page(PATH)
def batches_page(reading: Reading, visit: AdminVisit, cursor: Cursor = None) -> Response:
    found = list_batches(reading, before=row_before(cursor, MAX_ID), limit=PAGE_SIZE + 1)
    columns = _columns(visit, _makers(reading, found))
    return section.show_list(visit, columns, found, cursor, new_path=NEW)


@routes.page(NEW)
def new_batch_page(visit: AdminVisit) -> Response:
    return _form(visit, {})


@routes.post(NEW)
def make(db: Db, parts: AskedParts, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
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
        return _form(visit, form, faults)
    return go_on(visit, PATH, "made")


@routes.page(PATH + "/{batch_id}")
def batch_page(reading: Reading, visit: AdminVisit, batch_id: RowNumber) -> Response:
    batch = batch_with(reading, batch_id)
    t, here = section.translate(visit), f"{PATH}/{batch_id}"
    return section.show(
        visit,
        "console/batch.html",
        title=t("batch_title", id=batch_id),
        facts=facts_of(t, _columns(visit, _makers(reading, [batch])), batch)[1:],
        counts=table_of(t, here, COUNTS, count_by_state(reading, batch_id).items()),
        codes_link=f"/admin/codigos?lote={batch_id}",
        printing=printing_fields(t, reading, batch),
        here=here,
    )


@routes.post(PATH + "/{batch_id}")
def ship(db: Db, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    ship_batch(db, batch_id, now, str(visit.actor))
    return go_on(visit, f"{PATH}/{batch_id}", "shipped")


@routes.page(PATH + "/{batch_id}/anular")
def ask_void(reading: Reading, visit: AdminVisit, batch_id: RowNumber) -> Response:
    batch_with(reading, batch_id)
    return section.ask(visit, "void", f"{PATH}/{batch_id}/anular", f"{PATH}/{batch_id}", id=batch_id)


@routes.post(PATH + "/{batch_id}/anular")
def void(db: Db, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    void_batch(db, batch_id, now, str(visit.actor))
    return go_on(visit, f"{PATH}/{batch_id}", "voided")


@routes.page(PATH + "/{batch_id}/confirmar")
def ask_confirm(reading: Reading, visit: AdminVisit, batch_id: RowNumber) -> Response:
    batch_with(reading, batch_id)
    return section.ask(visit, "confirm", f"{PATH}/{batch_id}/confirmar", f"{PATH}/{batch_id}", id=batch_id)


@routes.post(PATH + "/{batch_id}/confirmar")
def confirm(db: Db, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    confirm_sheet(db, batch_id, now, str(visit.actor))
    return go_on(visit, f"{PATH}/{batch_id}", "confirmed")


@routes.get(PATH + "/{batch_id}/csv", pool=Pool.LONG)
def csv(reading: Reading, parts: AskedParts, visit: AdminVisit, batch_id: RowNumber) -> Response:
    batch_with(reading, batch_id)
    return csv_file(csv_lines(parts.database, parts.settings.public_url, batch_id), f"lote-{batch_id}.csv")


@routes.get(PATH + "/{batch_id}/marcas", pool=Pool.LONG)
def csv_with_tags(reading: Reading, parts: AskedParts, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    batch = batch_with(reading, batch_id)
    if not batch.has_tags:
        raise TagsDestroyed
    key = batch.open_key(parts.keyring)
    lines = csv_lines_with_tags(parts.database, parts.settings.public_url, batch_id, key, now)
    return csv_file(lines, f"lote-{batch_id}-marcas.csv")


@routes.get(PATH + "/{batch_id}/pliego", pool=Pool.LONG)
def sheet(
    parts: AskedParts,
    visit: AdminVisit,
    now: Now,
    batch_id: RowNumber,
    pliego: Annotated[int, Query(ge=1, le=10_000)] = 1,
    formato: StickerFormat = StickerFormat.ROUND,
    papel: Paper = Paper.A4,
) -> Response:
    url = parts.settings.public_url
    drawn = batch_sheet(parts.database, parts.keyring, url, batch_id, now, part=pliego, format=formato, paper=papel)
    return file_response(FileType.PDF, drawn, f"lote-{batch_id}-{pliego}")


def _form(visit: Visit, texts: Mapping[str, str], faults: Sequence[FieldFault] = ()) -> Response:
    title = section.translate(visit)("new")
    return section.show_form(visit, FIELDS, texts, faults, title=title, action=NEW, back=PATH)


def _makers(tx: Transaction, batches: Sequence[Batch]) -> Names:
    return names_of(tx, accounts_named(batch.made_by for batch in batches))


def _columns(visit: Visit, names: Names) -> Columns[Batch]:
    def tags(t: Translate, batch: Batch) -> str:
        return t("tags_kept", until=shown_time(visit.request, batch.tags_until)) if batch.has_tags else t("tags_gone")

    return {
        "number": lambda _t, batch: Cell(str(batch.id), link=f"{PATH}/{batch.id}"),
        "label": lambda _t, batch: batch.label or None,
        "made": lambda _t, batch: f"{batch.made} / {batch.count}",
        "made_at": lambda _t, batch: batch.made_at,
        "made_by": lambda t, batch: person_words(t, batch.made_by, names),
        "tags": tags,
    }


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
