"""What the operations of the inventory answer: codes and batches."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ficha.api.examples import resource_example
from ficha.core.deferred_model import DeferredModel
from ficha.http.envelope import M, Moment, Resource, filled
from ficha.products.batches import Batch
from ficha.products.inventory import ListedCode
from ficha.products.ledger import LedgerRow, LedgerState
from ficha.products.product import ProductState


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
