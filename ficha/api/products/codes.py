"""The inventory of codes, for administrators: made in batches, listed, shipped, voided; and its answers."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Path, Query
from pydantic import Field

from ficha.accounts.tokens import Caller
from ficha.api.bodies import Body
from ficha.api.examples import DEMO_SPARE, answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.ids import code_number, numbered_code
from ficha.core.text_types import Etiqueta
from ficha.fmd.record_codes import CodeUnknown
from ficha.http.dependencies import Admin, Db, Located, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, M, Moment, Resource, filled
from ficha.products.batches import Batch, make_batch
from ficha.products.inventory import ListedCode, list_codes, listed_code, ship_codes, void_codes
from ficha.products.product import LedgerRow, LedgerState, ProductState, ledger_of

operations = Operations("products", callers="admin")

SpareCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_SPARE])]


class CodeAttributes(DeferredModel):
    state: LedgerState = Field(description="In the inventory: printed, shipped, claimed or void.")
    product_state: ProductState = Field(description="Of the sticker: printed, claimed, active, lost or retired.")
    batch: int | None
    is_bp: bool = Field(description="Whether an institution issued it.")
    issued_at: Moment
    claimed_at: Moment | None
    ended_at: Moment | None


class LedgerEntry(DeferredModel):
    state: LedgerState
    at: Moment
    by: str = Field(description="`account:7`, `cli`, or `owner` for whoever claimed it.")
    is_of_batch: bool = Field(description="Whether it happened to all codes of the batch.")


class CodeWithLedger(CodeAttributes):
    ledger: list[LedgerEntry] = Field(description="What happened to the code, oldest first.")


class BatchAttributes(DeferredModel):
    label: str
    count: int = Field(description="How many codes were asked for.")
    made: int = Field(description="How many exist so far: a large batch is made bit by bit.")
    made_at: Moment
    made_by: str
    has_tags: bool = Field(description="Whether its stickers can still be printed.")
    tags_until: Moment = Field(description="When the tags are destroyed at the latest.")
    confirmed_at: Moment | None = Field(description="When its sheets were confirmed, and the tags destroyed.")


class BatchWithCounts(BatchAttributes):
    codes: dict[str, int] = Field(description="How many codes are printed, shipped, claimed and void.")


CodeOut = Resource[CodeAttributes]
BatchOut = Resource[BatchAttributes]

MADE_AT = "2026-11-01T12:00:00+00:00"
CODE_EXAMPLE = resource_example(
    "code", "P4N8V2", CodeAttributes, state="shipped", product_state="printed", batch=1, issued_at=MADE_AT
)
LEDGER_EXAMPLE = [
    {"state": "printed", "at": "2026-11-01T12:00:00+00:00", "by": "account:8", "is_of_batch": True},
    {"state": "shipped", "at": "2026-11-03T12:00:00+00:00", "by": "account:8", "is_of_batch": True},
]
BATCH_EXAMPLE = resource_example(
    "batch",
    1,
    BatchAttributes,
    label="Colegio San José",
    count=24,
    made=24,
    made_at=MADE_AT,
    made_by="account:8",
    has_tags=True,
    tags_until="2026-11-08T12:00:00+00:00",
)
COUNTS_EXAMPLE = {"printed": 0, "shipped": 20, "claimed": 3, "void": 1}


def with_attributes(example: dict[str, Any], **more: Any) -> dict[str, Any]:
    return example | {"attributes": example["attributes"] | more}


class NewBatch(Body):
    count: int = Field(ge=1, le=10_000_000, description="How many codes.", examples=[24])
    label: Etiqueta | None = Field(None, description="What the batch is for.", examples=["Colegio San José"])


def actor(caller: Caller) -> str:
    """As the ledger names whoever acts."""
    return f"account:{caller.account_id}"


@operations.post(
    "/generators/codes", "Generators: codes", seed=True, status=201, example=answer_example(BATCH_EXAMPLE, 201)
)
def make_codes(
    db: Db, parts: Parts, admin: Admin, now: Now, reply: Reply, located: Located, body: NewBatch
) -> "Answer[BatchOut]":
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
    located(f"/batches/{batch.id}")
    return reply(batch_out(batch))


@operations.get("/codes", "Codes", seed=True, errors=(422,), example=listing_example([CODE_EXAMPLE]))
def codes(
    reading: Reading,
    _admin: Admin,
    page: Page,
    batch: Annotated[int | None, Query(ge=1, le=2**62, description="Of this batch only.")] = None,
    state: Annotated[LedgerState | None, Query(description="printed, shipped, claimed or void.")] = None,
    starts: Annotated[str, Query(max_length=6, pattern="^[A-Za-z0-9]*$", description="Its first characters.")] = "",
) -> "Listing[CodeOut]":
    """All codes, in their order. Whose they are is not told."""
    start = page.start(0)
    after = numbered_code(start) if start else ""
    found = list_codes(reading, batch_id=batch, state=state, starts=starts, after=after, limit=page.limit)
    return page.answer(found, code_out, lambda listed: code_number(listed.product.code))


@operations.get(
    "/codes/{code}",
    "Code",
    seed=True,
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
    "/codes/{code}/ship",
    "Ship code",
    progress="Developing",
    errors=(404,),
    example=answer_example(CODE_EXAMPLE),
)
def ship_code(db: Db, admin: Admin, now: Now, reply: Reply, code: SpareCode) -> "Answer[CodeOut]":
    """Writes into the ledger that a printed sticker was sent out."""
    ship_codes(db, [code], now, actor(admin))
    return reply(code_out(_fresh(db, code)))


@operations.post(
    "/codes/{code}/void",
    "Void code",
    progress="Developing",
    errors=(404,),
    example=answer_example(with_attributes(CODE_EXAMPLE, state="void", product_state="retired")),
    example_once=True,
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


def code_out(listed: ListedCode) -> CodeOut:
    return Resource(type="code", id=listed.product.code, attributes=_code_shown(CodeAttributes, listed))


def code_with_ledger(listed: ListedCode, rows: list[LedgerRow]) -> "Resource[CodeWithLedger]":
    ledger = [
        LedgerEntry(state=LedgerState(row.state), at=row.at, by=row.by, is_of_batch=row.batch_id is not None)
        for row in rows
    ]
    return Resource(type="code", id=listed.product.code, attributes=_code_shown(CodeWithLedger, listed, ledger=ledger))


def batch_out(batch: Batch) -> BatchOut:
    return Resource(type="batch", id=batch.id, attributes=filled(BatchAttributes, batch))


def batch_with_counts(batch: Batch, counts: Mapping[LedgerState, int]) -> "Resource[BatchWithCounts]":
    codes = {state.value: number for state, number in counts.items()}
    return Resource(type="batch", id=batch.id, attributes=filled(BatchWithCounts, batch, codes=codes))


def _code_shown(model: type[M], listed: ListedCode, **more: Any) -> M:
    product = listed.product
    return filled(model, product, state=listed.state, product_state=product.state, batch=product.batch_id, **more)
