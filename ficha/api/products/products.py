"""Stickers and cards: read one, claim it, confirm a claim, give it a new tag, report it lost, retire it."""

from typing import Annotated

from fastapi import Path, Request
from pydantic import Field

from ficha.accounts.one_time_codes import Purpose, spend_link
from ficha.administration.subscriptions import allowance
from ficha.api.bodies import Body, FmdCode, ProductTag
from ficha.api.examples import (
    DEMO_CLAIMED,
    DEMO_LOST,
    DEMO_NURSE,
    DEMO_PRINTED,
    DEMO_SECOND,
    answer_example,
    resource_example,
)
from ficha.api.operations import Operations
from ficha.cards.printing import FileType
from ficha.cards.qr import LINK_LEVEL, link_of, symbol_of
from ficha.core.deferred_model import DeferredModel
from ficha.core.ids import is_code
from ficha.fmd.record_codes import (
    CodeUnknown,
    claim_for_caller,
    confirm_claims_of,
    end_code,
    leave_a_code,
    own_product,
    renew_tag,
)
from ficha.fmd.records import Record
from ficha.http.dependencies import (
    AboutRecordOf,
    Address,
    CurrentCaller,
    Db,
    Limiter,
    Now,
    Parts,
    Quotes,
    Reading,
    Reply,
    limit_by_address,
)
from ficha.http.envelope import Answer, Moment, Resource, filled
from ficha.http.fmd_dependencies import Code
from ficha.http.limits import RateLimit
from ficha.products.product import Product, ProductState, new_tag

operations = Operations("products", prefix="/products", callers="bearer")

# Other examples than the sticker that all others speak of: what is lost or retired opens nothing any more.
PrintedCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_PRINTED])]
LostCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_LOST])]
SecondCode = Annotated[str, Path(alias="code", description="The code on the sticker.", examples=[DEMO_SECOND])]


class ProductAttributes(DeferredModel):
    state: ProductState = Field(description="printed, claimed, active, lost or retired.")
    fmd_code: int
    is_bp: bool = Field(description="Whether an institution issued it.")
    is_confirmed: bool = Field(description="False while a claim by code alone waits for the account's mailbox.")
    issued_at: Moment
    claimed_at: Moment | None
    ended_at: Moment | None


class Claim(Body):
    product_tag: ProductTag | None = Field(
        None,
        description="From the sticker's QR. Without it the mailbox is asked, and the QR opens nothing until then.",
        examples=["QX7M2K5TNBP4RWZC6DHJ3VFYGA"],
    )
    fmd_code: FmdCode | None = Field(
        None, description="Of a record that the caller owns or guards; her first when absent.", examples=[None]
    )


class Confirmation(Body):
    token: str = Field(min_length=1, max_length=100, description="From the link in the mail.", examples=[DEMO_CLAIMED])


class Confirmed(DeferredModel):
    product_codes: list[str] = Field(description="The stickers that open now.")


class TagAttributes(DeferredModel):
    tag: str = Field(description="Only its hash is kept: it is shown this once.")
    link: str = Field(description="What the QR holds. It opens what a responder may see.")
    svg: str = Field(description="The QR as a data URI.")
    png: str = Field(description="The QR as a data URI.")


ProductOut = Resource[ProductAttributes]
TagOut = Resource[TagAttributes]


def example(state: str) -> dict[str, object]:
    told = {
        "state": state,
        "fmd_code": 1904221833,
        "is_confirmed": True,
        "issued_at": "2026-11-01T12:00:00+00:00",
        "claimed_at": "2026-11-15T12:00:00+00:00",
        "ended_at": "2026-11-15T13:00:00+00:00" if state in ("lost", "retired") else None,
    }
    return answer_example(resource_example("product", "K7M2QX", ProductAttributes, **told))


@operations.get("/{code}", "Product", seed=True, errors=(404,), example=example("active"))
def product(reading: Reading, caller: CurrentCaller, now: Now, reply: Reply, code: Code) -> "Answer[ProductOut]":
    """A code of the caller's own record, whatever became of it."""
    return reply(_product_out(*own_product(reading, caller, code, now)))


@operations.post(
    "/{code}/claim", "Claim product", seed=True, errors=(404,), example=example("claimed"), example_once=True
)
def claim(
    request: Request,
    db: Db,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    reply: Reply,
    about_record_of: AboutRecordOf,
    code: PrintedCode,
    body: Claim | None = None,
) -> "Answer[ProductOut]":
    """A printed sticker joins the caller's record: at once with the tag of its QR. By the code alone its QR opens
    nothing until the link is opened that is mailed to the account, and whoever shows the tag before gets the sticker.
    Unknown and already claimed are the same 404."""
    limiter.hit_claim(request, address, caller.account_id)
    tag = None if body is None else body.product_tag
    fmd_code = None if body is None else body.fmd_code
    most = allowance(db, caller.account_id, now).stickers
    product, record = claim_for_caller(db, caller, code, now, most=most, tag=tag, fmd_code=fmd_code)
    about_record_of(record.account_id)
    return reply(_product_out(product, record))


@operations.post(
    "/confirm",
    "Confirm product",
    progress="Developing",
    callers="public",
    example=answer_example({"product_codes": ["K7M2QX"]}),
    example_once=True,
    dependencies=[limit_by_address(RateLimit.LOGIN)],
)
def confirm(db: Db, parts: Parts, now: Now, reply: Reply, quotes: Quotes, body: Confirmation) -> "Answer[Confirmed]":
    """Whoever reads the account's mailbox confirms what it claimed by code alone."""
    account = spend_link(db, parts.secrets, Purpose.ETIQUETA, body.token, now)
    quotes(account.id)
    return reply(Confirmed(product_codes=confirm_claims_of(db, account.id, now)))


@operations.post(
    "/{code}/tag",
    "New tag",
    errors=(404,),
    example=answer_example(
        resource_example(
            "tag",
            "K7M2QX",
            TagAttributes,
            tag="QX7M2K5TNBP4RWZC6DHJ3VFYGA",
            link="HTTPS://FICHA.EXAMPLE/E/K7M2QX/QX7M2K5TNBP4RWZC6DHJ3VFYGA",
            svg="data:image/svg+xml;base64,PHN2Zy…",
            png="data:image/png;base64,iVBORw0K…",
        )
    ),
)
def tag(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    reply: Reply,
    about_record_of: AboutRecordOf,
    code: SecondCode,
) -> "Answer[TagOut]":
    """A live code gets a new tag, for a sticker to be printed at home. The old tag is dead at once; the new link and
    its QR are shown this once."""
    if not is_code(code):
        raise CodeUnknown
    fresh = new_tag()
    link = link_of(parts.settings.public_url, code, fresh)
    symbol = symbol_of(link, LINK_LEVEL)  # Before the first statement: it takes longer than all of them, and no lock.
    product, record = renew_tag(db, caller, code, fresh, now)
    about_record_of(record.account_id)
    svg, png = FileType.SVG.data_uri(symbol.svg().encode()), FileType.PNG.data_uri(symbol.png())
    shown = TagAttributes(tag=fresh, link=link, svg=svg, png=png)
    return reply(Resource(type="tag", id=product.code, attributes=shown))


@operations.post(
    "/{code}/lost",
    "Product lost",
    seed=True,
    errors=(404,),
    example=example("lost"),
    example_caller=DEMO_NURSE,
    example_once=True,
)
def lost(
    db: Db, caller: CurrentCaller, now: Now, reply: Reply, about_record_of: AboutRecordOf, code: LostCode
) -> "Answer[ProductOut]":
    """The sticker's tag is dead at once: whoever scans it reads that it ended, and its owner is told. A record whose
    last code ends gets another, by which `me` finds it."""
    return reply(_ended(db, caller, code, ProductState.LOST, now, about_record_of))


@operations.post(
    "/{code}/retire", "Retire product", seed=True, errors=(404,), example=example("retired"), example_once=True
)
def retire(
    db: Db, caller: CurrentCaller, now: Now, reply: Reply, about_record_of: AboutRecordOf, code: SecondCode
) -> "Answer[ProductOut]":
    """The code is no longer used. It is never issued again. A record whose last code ends gets another."""
    return reply(_ended(db, caller, code, ProductState.RETIRED, now, about_record_of))


def _ended(
    tx: Db, caller: CurrentCaller, code: str, state: ProductState, now: Now, about_record_of: AboutRecordOf
) -> ProductOut:
    product, record = end_code(tx, caller, code, state, now)
    about_record_of(record.account_id)
    leave_a_code(tx, record.id, caller.actor, now)
    return _product_out(product, record)


def _product_out(found: Product, record: Record) -> ProductOut:
    return Resource(type="product", id=found.code, attributes=filled(ProductAttributes, found, fmd_code=record.id))
