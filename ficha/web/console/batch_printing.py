"""A batch for whoever prints it: codes as CSV, stickers as sheets, and the end of its tags once all is printed."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.threads import Pool
from ficha.cards.batch_files import batch_sheet, csv_lines, csv_lines_with_tags
from ficha.cards.printing import FileType
from ficha.cards.stickers import Paper, StickerFormat
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.exports import csv_file
from ficha.products.batches import batch_with
from ficha.products.inventory import TagsDestroyed, confirm_sheet
from ficha.web.console.batches import PATH, ask_about_batch
from ficha.web.console.door import AdminVisit
from ficha.web.console.frame import go_on
from ficha.web.kit.lists import RowNumber
from ficha.web.kit.signed_in import signed_in_routes

routes = signed_in_routes()


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
    return Response(drawn, media_type=FileType.PDF, headers=FileType.PDF.download(f"lote-{batch_id}-{pliego}"))


@routes.page(PATH + "/{batch_id}/confirmar")
def ask_confirm(request: Request, reading: Reading, visit: AdminVisit, batch_id: RowNumber) -> Response:
    return ask_about_batch(request, reading, visit, batch_id, "confirm", "confirmar")


@routes.post(PATH + "/{batch_id}/confirmar")
def confirm(request: Request, db: Db, visit: AdminVisit, now: Now, batch_id: RowNumber) -> Response:
    confirm_sheet(db, batch_id, now, str(visit.actor))
    return go_on(request, f"{PATH}/{batch_id}", "confirmed")
