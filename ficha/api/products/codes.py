"""The inventory of codes, for administrators: made in batches, listed, shipped, voided."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from ficha.accounts.tokens import Caller
from ficha.api.bodies import Body
from ficha.api.examples import DEMO_SPARE, answer_example, listing_example
from ficha.api.operations import Operations
from ficha.api.products.inventory_answers import (
    BATCH_EXAMPLE,
    CODE_EXAMPLE,
    LEDGER_EXAMPLE,
    BatchOut,
    CodeOut,
    CodeWithLedger,
    batch_out,
    code_out,
    code_with_ledger,
    with_attributes,
)
from ficha.core.ids import code_number, numbered_code
from ficha.core.text_types import Etiqueta
from ficha.fmd.record_codes import CodeUnknown
from ficha.http.cursors import Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Admin, Db, Now, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource
from ficha.products.batches import make_batch
from ficha.products.inventory import ListedCode, list_codes, listed_code, ship_codes, void_codes
from ficha.products.product import LedgerState, ledger_of

operations = Operations("products")

SpareCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_SPARE])]


class NewBatch(Body):
    count: int = Field(ge=1, le=10_000_000, description="How many codes.", examples=[24])
    label: Etiqueta | None = Field(None, description="What the batch is for.", examples=["Colegio San José"])


def actor(caller: Caller) -> str:
    """As the ledger names whoever acts."""
    return f"account:{caller.account_id}"


@operations.post(
    "/generators/codes",
    "Generators: codes",
    door="admin",
    seed="Generators: codes",
    status=201,
    errors=(409, 415, 422),
    example=answer_example(BATCH_EXAMPLE, 201),
)
def make_codes(db: Db, parts: Parts, admin: Admin, now: Now, reply: Reply, body: NewBatch) -> "Answer[BatchOut]":
    """A batch of new codes to be printed, none of which was ever issued. The first thousand are made at once, the rest
    within moments. Their tags are sealed until the batch's sheets are confirmed, at most seven days."""
    batch = make_batch(
        db,
        parts.keyring,
        body.count,
        now,
        by=actor(admin),
        label=body.label or "",
        largest=parts.settings.batch_codes,
        tag_days=parts.settings.tag_days,
    )
    return reply(batch_out(batch))


@operations.get("/codes", "Codes", door="admin", seed="Codes", errors=(422,), example=listing_example([CODE_EXAMPLE]))
def codes(
    reading: Reading,
    _admin: Admin,
    reply: Reply,
    batch: Annotated[int | None, Query(ge=1, le=2**62, description="Of this batch only.")] = None,
    state: Annotated[LedgerState | None, Query(description="printed, shipped, claimed or void.")] = None,
    starts: Annotated[str, Query(max_length=6, pattern="^[A-Za-z0-9]*$", description="Its first characters.")] = "",
    cursor: Cursor = None,
    size: PageSize = 50,
) -> "Listing[CodeOut]":
    """All codes, in their order. Whose they are is not told."""
    after = row_before(cursor, 0)
    found = list_codes(
        reading,
        batch_id=batch,
        state=state,
        starts=starts,
        after=numbered_code(after) if after else "",
        limit=size + 1,
    )
    following = next_cursor(found, size, lambda listed: code_number(listed.product.code))
    return reply.listing([code_out(listed) for listed in found[:size]], size, following)


@operations.get(
    "/codes/{code}",
    "Code",
    door="admin",
    seed="Code",
    errors=(404,),
    example=answer_example(with_attributes(CODE_EXAMPLE, ledger=LEDGER_EXAMPLE)),
)
def code(reading: Reading, _admin: Admin, reply: Reply, code: SpareCode) -> "Answer[Resource[CodeWithLedger]]":
    """A code, and all that happened to it. Whose it is is not told."""
    listed = listed_code(reading, code)
    if listed is None:
        raise CodeUnknown
    return reply(code_with_ledger(listed, ledger_of(reading, listed.product.code, listed.product.batch_id)))


@operations.post(
    "/codes/{code}/ship", "Ship code", door="admin", errors=(404, 409), example=answer_example(CODE_EXAMPLE)
)
def ship_code(db: Db, admin: Admin, now: Now, reply: Reply, code: SpareCode) -> "Answer[CodeOut]":
    """Writes into the ledger that a printed sticker was sent out."""
    ship_codes(db, [code], now, actor(admin))
    return reply(code_out(_fresh(db, code)))


@operations.post(
    "/codes/{code}/void",
    "Void code",
    door="admin",
    errors=(404, 409),
    example=answer_example(with_attributes(CODE_EXAMPLE, state="void", product_state="retired")),
)
def void_code(db: Db, admin: Admin, now: Now, reply: Reply, code: SpareCode) -> "Answer[CodeOut]":
    """A printed sticker that nobody may use, a spoiled one for example. It is never issued again."""
    void_codes(db, [code], now, actor(admin))
    return reply(code_out(_fresh(db, code)))


def _fresh(db: Db, code: str) -> ListedCode:
    db.orm.expire_all()
    listed = listed_code(db, code)
    assert listed is not None
    return listed
