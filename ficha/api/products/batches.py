"""Batches of codes, for administrators: listed, exported, shipped, voided."""

from typing import Annotated

from fastapi import Path, Query
from starlette.responses import Response, StreamingResponse

from ficha.api.examples import answer_example, file_answer, listing_example
from ficha.api.operations import Operations
from ficha.api.products.codes import (
    BATCH_EXAMPLE,
    COUNTS_EXAMPLE,
    BatchOut,
    BatchWithCounts,
    actor,
    batch_out,
    batch_with_counts,
    with_attributes,
)
from ficha.api.products.stickers import FormatAsked, PaperAsked
from ficha.asgi.threads import Pool
from ficha.cards.batch_files import CSV_HEAD, batch_sheet, csv_lines, csv_lines_with_tags
from ficha.cards.printing import FileType
from ficha.cards.stickers import Paper, StickerFormat
from ficha.http.dependencies import Admin, Db, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource
from ficha.http.file_answers import CSV, csv_file, file_response
from ficha.products.batches import batch_with
from ficha.products.inventory import TagsDestroyed, confirm_sheet, count_by_state, list_batches, ship_batch, void_batch

operations = Operations("products", prefix="/batches", callers="admin", progress="Developing")

BatchId = Annotated[int, Path(alias="batch", ge=1, le=2**62, description="The batch's number.", examples=[1])]
CSV_EXAMPLE = f"{CSV_HEAD}P4N8V2,shipped,2026-11-01T12:00:00+00:00,,,HTTPS://FICHA.EXAMPLE/E/P4N8V2\r\n"


@operations.get("", "Batches", errors=(422,), example=listing_example([BATCH_EXAMPLE]))
def batches(reading: Reading, _admin: Admin, page: Page) -> "Listing[BatchOut]":
    """All batches, newest first."""
    found = list_batches(reading, before=page.start(2**62), limit=page.limit)
    return page.answer(found, batch_out, lambda batch: batch.id)


@operations.get(
    "/{batch}", "Batch", errors=(404, 422), example=answer_example(with_attributes(BATCH_EXAMPLE, codes=COUNTS_EXAMPLE))
)
def batch(reading: Reading, _admin: Admin, reply: Reply, number: BatchId) -> "Answer[Resource[BatchWithCounts]]":
    """A batch, and how many of its codes are in each state."""
    found = batch_with(reading, number)
    return reply(batch_with_counts(found, count_by_state(reading, number)))


@operations.get(
    "/{batch}/csv",
    "Batch CSV",
    errors=(404, 409, 422),
    media_type=CSV,
    example=CSV_EXAMPLE,
    response_class=Response,
    pool=Pool.LONG,
)
def csv(
    reading: Reading,
    parts: Parts,
    _admin: Admin,
    now: Now,
    number: BatchId,
    tags: Annotated[bool, Query(description="Whether links hold the stickers' secret tags, for a print shop.")] = False,
) -> StreamingResponse:
    """The codes of a batch, as CSV. With `tags`, only those that nobody has claimed, with their secret tags, as long as
    these are kept."""
    found = batch_with(reading, number)
    if tags and not found.has_tags:
        raise TagsDestroyed
    base_url = parts.settings.public_url
    lines = csv_lines(parts.database, base_url, number)
    if tags:
        lines = csv_lines_with_tags(parts.database, base_url, number, found.open_key(parts.keyring), now)
    return csv_file(lines, f"lote-{number}.csv")


@operations.get(
    "/{batch}/sheet",
    "Batch sheet",
    errors=(404, 409, 422, 503),
    responses=file_answer(FileType.PDF),
    response_class=Response,
    pool=Pool.LONG,
)
def sheet(
    parts: Parts,
    _admin: Admin,
    now: Now,
    number: BatchId,
    part: Annotated[int, Query(ge=1, le=10_000, description="Which thousand of a large batch.")] = 1,
    format: FormatAsked = StickerFormat.ROUND,
    paper: PaperAsked = Paper.A4,
) -> Response:
    """The stickers of a batch, ready to be printed and cut, as long as their tags are kept: at most a thousand a part,
    those that nobody has claimed."""
    base_url = parts.settings.public_url
    drawn = batch_sheet(parts.database, parts.keyring, base_url, number, now, part=part, format=format, paper=paper)
    return file_response(FileType.PDF, drawn, f"lote-{number}-{part}")


@operations.post(
    "/{batch}/confirm",
    "Confirm batch",
    errors=(404, 422),
    example=answer_example(with_attributes(BATCH_EXAMPLE, has_tags=False, confirmed_at="2026-11-02T12:00:00+00:00")),
    example_once=True,
)
def confirm(db: Db, admin: Admin, now: Now, reply: Reply, number: BatchId) -> "Answer[BatchOut]":
    """All sheets are printed and good: the batch's tags are destroyed, and nobody can print them again."""
    return reply(batch_out(confirm_sheet(db, number, now, actor(admin))))


@operations.post("/{batch}/ship", "Ship batch", errors=(404, 422), example=answer_example(BATCH_EXAMPLE))
def ship(db: Db, admin: Admin, now: Now, reply: Reply, number: BatchId) -> "Answer[BatchOut]":
    """Writes into the ledger that the stickers of a batch were sent out."""
    ship_batch(db, number, now, actor(admin))
    return reply(batch_out(batch_with(db, number)))


@operations.post(
    "/{batch}/void",
    "Void batch",
    errors=(404, 422),
    example=answer_example(with_attributes(BATCH_EXAMPLE, has_tags=False)),
)
def void(db: Db, admin: Admin, now: Now, reply: Reply, number: BatchId) -> "Answer[BatchOut]":
    """What nobody has claimed of the batch cannot be claimed any more, within moments, and its tags are destroyed."""
    void_batch(db, number, now, actor(admin))
    return reply(batch_out(batch_with(db, number)))
