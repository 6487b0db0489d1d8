"""What the operations of the inventory answer: codes and batches."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from ficha.core.deferred_model import DeferredModel
from ficha.http.envelope import Moment, Resource
from ficha.products.batches import Batch
from ficha.products.inventory import ListedCode
from ficha.products.product import LedgerRow, LedgerState, ProductState


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

CODE_EXAMPLE: dict[str, Any] = {
    "type": "code",
    "id": "P4N8V2",
    "attributes": {
        "state": "shipped",
        "product_state": "printed",
        "batch": 1,
        "is_bp": False,
        "issued_at": "2026-11-01T12:00:00+00:00",
        "claimed_at": None,
        "ended_at": None,
    },
}
LEDGER_EXAMPLE = [
    {"state": "printed", "at": "2026-11-01T12:00:00+00:00", "by": "account:8", "is_of_batch": True},
    {"state": "shipped", "at": "2026-11-03T12:00:00+00:00", "by": "account:8", "is_of_batch": True},
]
BATCH_EXAMPLE: dict[str, Any] = {
    "type": "batch",
    "id": 1,
    "attributes": {
        "label": "Colegio San José",
        "count": 24,
        "made": 24,
        "made_at": "2026-11-01T12:00:00+00:00",
        "made_by": "account:8",
        "has_tags": True,
        "tags_until": "2026-11-08T12:00:00+00:00",
        "confirmed_at": None,
    },
}
COUNTS_EXAMPLE = {"printed": 0, "shipped": 20, "claimed": 3, "void": 1}


def with_attributes(example: dict[str, Any], **more: Any) -> dict[str, Any]:
    return example | {"attributes": example["attributes"] | more}


def code_out(listed: ListedCode) -> CodeOut:
    return Resource(type="code", id=listed.product.code, attributes=CodeAttributes(**_code_fields(listed)))


def code_with_ledger(listed: ListedCode, rows: list[LedgerRow]) -> "Resource[CodeWithLedger]":
    ledger = [
        LedgerEntry(state=LedgerState(row.state), at=row.at, by=row.by, is_of_batch=row.batch_id is not None)
        for row in rows
    ]
    attributes = CodeWithLedger(**_code_fields(listed), ledger=ledger)
    return Resource(type="code", id=listed.product.code, attributes=attributes)


def batch_out(batch: Batch) -> BatchOut:
    return Resource(type="batch", id=batch.id, attributes=BatchAttributes(**_batch_fields(batch)))


def batch_with_counts(batch: Batch, counts: Mapping[LedgerState, int]) -> "Resource[BatchWithCounts]":
    codes = {state.value: number for state, number in counts.items()}
    return Resource(type="batch", id=batch.id, attributes=BatchWithCounts(**_batch_fields(batch), codes=codes))


def _code_fields(listed: ListedCode) -> dict[str, Any]:
    product = listed.product
    return {
        "state": listed.state,
        "product_state": ProductState(product.state),
        "batch": product.batch_id,
        "is_bp": product.is_bp,
        "issued_at": product.issued_at,
        "claimed_at": product.claimed_at,
        "ended_at": product.ended_at,
    }


def _batch_fields(batch: Batch) -> dict[str, Any]:
    return {
        "label": batch.label,
        "count": batch.count,
        "made": batch.made,
        "made_at": batch.made_at,
        "made_by": batch.made_by,
        "has_tags": batch.has_tags,
        "tags_until": batch.tags_until,
        "confirmed_at": batch.confirmed_at,
    }
