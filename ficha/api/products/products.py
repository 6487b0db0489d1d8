"""Stickers and cards: read one, claim it, report it lost, retire it."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from ficha.api.examples import DEMO_PRINTED, DEMO_SECOND, answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.fmd.record_codes import claim_for_caller, end_code, own_product
from ficha.fmd.records import Record
from ficha.http.dependencies import CurrentCaller, Db, Now, Reading, Reply
from ficha.http.envelope import Answer, Moment, Resource
from ficha.http.fmd_dependencies import Code
from ficha.products.product import Product, ProductState

operations = Operations("products", prefix="/products")

# Other examples than the sticker that all others speak of: what is lost or retired opens nothing any more.
PrintedCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_PRINTED])]
SecondCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_SECOND])]


class ProductAttributes(DeferredModel):
    state: ProductState = Field(description="printed, claimed, active, lost or retired.")
    fmd_code: int
    is_bp: bool = Field(description="Whether an institution issued it.")
    issued_at: Moment
    claimed_at: Moment | None
    ended_at: Moment | None


ProductOut = Resource[ProductAttributes]


def example(state: str) -> dict[str, object]:
    return answer_example(
        {
            "type": "product",
            "id": "K7M2QX",
            "attributes": {
                "state": state,
                "fmd_code": 1904221833,
                "is_bp": False,
                "issued_at": "2026-11-01T12:00:00+00:00",
                "claimed_at": "2026-11-15T12:00:00+00:00",
                "ended_at": "2026-11-15T13:00:00+00:00" if state in ("lost", "retired") else None,
            },
        }
    )


@operations.get("/{code}", "Product", door="bearer", seed="Product", errors=(404,), example=example("active"))
def product(reading: Reading, caller: CurrentCaller, now: Now, reply: Reply, code: Code) -> Answer[ProductOut]:
    """A code of the caller's own record, whatever became of it."""
    return reply(_product_out(*own_product(reading, caller, code, now)))


@operations.post(
    "/{code}/claim", "Claim product", door="bearer", seed="Claim product", errors=(404, 409), example=example("claimed")
)
def claim(db: Db, caller: CurrentCaller, now: Now, reply: Reply, code: PrintedCode) -> Answer[ProductOut]:
    """A printed sticker joins the caller's record. Unknown and already claimed are the same 404."""
    return reply(_product_out(*claim_for_caller(db, caller, code, now)))


@operations.post(
    "/{code}/lost", "Product lost", door="bearer", seed="Product lost", errors=(404, 409), example=example("lost")
)
def lost(db: Db, caller: CurrentCaller, now: Now, reply: Reply, code: PrintedCode) -> Answer[ProductOut]:
    """The sticker's tag is dead at once: whoever scans it sees nothing clinical."""
    return reply(_product_out(*end_code(db, caller, code, ProductState.LOST, now)))


@operations.post(
    "/{code}/retire",
    "Retire product",
    door="bearer",
    seed="Retire product",
    errors=(404, 409),
    example=example("retired"),
)
def retire(db: Db, caller: CurrentCaller, now: Now, reply: Reply, code: SecondCode) -> Answer[ProductOut]:
    """The code is no longer used. It is never issued again."""
    return reply(_product_out(*end_code(db, caller, code, ProductState.RETIRED, now)))


def _product_out(found: Product, record: Record) -> ProductOut:
    return Resource(
        type="product",
        id=found.code,
        attributes=ProductAttributes(
            state=ProductState(found.state),
            fmd_code=record.id,
            is_bp=found.is_bp,
            issued_at=found.issued_at,
            claimed_at=found.claimed_at,
            ended_at=found.ended_at,
        ),
    )
