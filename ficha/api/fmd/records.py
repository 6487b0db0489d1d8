"""The records of an account: list them, open a further one, erase one."""

from typing import Annotated, Literal, Self

from fastapi import Path, Request
from pydantic import ConfigDict, Field, model_validator

from ficha.administration.subscriptions import allowance
from ficha.api.bodies import Body, ProductCode, ProductTag
from ficha.api.examples import (
    DEMO_CHILD,
    DEMO_CLAVE,
    DEMO_ERASED,
    DEMO_NURSE,
    answer_example,
    listing_example,
    resource_example,
)
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Etiqueta, Nombre
from ficha.enrolment.erasure import erase_one_record
from ficha.enrolment.registration import NewRecord, open_further_record
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.record_list import ListedRecord, records_for
from ficha.http.dependencies import (
    Address,
    CurrentCaller,
    Db,
    Limiter,
    Located,
    Now,
    Page,
    Parts,
    Quotes,
    Reading,
    Reply,
)
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled
from ficha.http.login_limits import confirm_clave

operations = Operations("fmd", prefix="/fmd", callers="bearer")


# Another example than the record that all others speak of.
ErasedCode = Annotated[str, Path(alias="code", description="Any live code of the record.", examples=[DEMO_ERASED])]


class NewRecordBody(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"relacion": "madre", "product_code": DEMO_CHILD, "nombres": "Luis"}]}
    )

    relacion: Etiqueta = Field(description="Who keeps it, seen from its person.", examples=["madre"])
    product_code: ProductCode | None = Field(None, description="A printed sticker to claim.", examples=[DEMO_CHILD])
    product_tag: ProductTag | None = Field(None, description="From the sticker's QR.", examples=[None])
    template_type: str | None = Field(None, pattern=f"^({'|'.join(TEMPLATES)})$", examples=["estudiante"])
    nombres: Nombre | None = Field(None, description="The person's given names.", examples=["Luis"])

    @model_validator(mode="after")
    def has_the_code_of_its_tag(self) -> Self:
        if self.product_tag is not None and self.product_code is None:
            sentence = "Escriba también el código de la etiqueta, en product_code."
            raise self.fault_at("product_code", "falta_codigo", sentence)
        return self


class RecordFarewell(Body):
    clave: str = Field(max_length=128, description="The caller's clave, to confirm.", examples=[DEMO_CLAVE])


class ListedAttributes(DeferredModel):
    nombre: str = Field(description="Empty where the person has none yet, or the caller may not see it.")
    relacion: str
    template_type: str
    via: Literal["owner", "guardian", "delegate"] = Field(description="By which right the caller opens it.")
    edita: bool
    hasta: Moment | None = Field(
        description="When that right ends; null for one's own, and for one that lasts until it is ended."
    )
    product_codes: list[str]
    bp_codes: list[str]
    completeness: int = Field(ge=0, le=100, description="How many of a hundred sections in use are filled.")
    freshness: Literal["green", "amber", "red"] | None = Field(
        description="Of the fact that is least to be trusted; null where there is none."
    )


class ErasedRecord(DeferredModel):
    erased: bool = True


ListedOut = Resource[ListedAttributes]
EXAMPLE = resource_example(
    "fmd",
    1904221833,
    ListedAttributes,
    nombre="Luis Rojas",
    relacion="madre",
    template_type="estudiante",
    via="owner",
    edita=True,
    product_codes=["K7M2QX"],
    completeness=40,
    freshness="green",
)


@operations.get("", "Records", errors=(422, 503), example=listing_example([EXAMPLE]))
def list_records(
    reading: Reading, parts: Parts, caller: CurrentCaller, now: Now, address: Address, page: Page
) -> "Listing[ListedOut]":
    """The records that the caller owns, guards or was let into, by their number. Logged in each of them."""
    found = records_for(reading, parts.keyring, caller.account_id, now, after=page.start(0), most=page.limit)
    who, models = f"account:{caller.account_id}", ["personal"]
    for record in found[: page.size]:
        parts.read_log.note(record.id, who, "record.listed", models, now, via=record.access.via, origin=address)
    return page.answer(found, _listed_out, lambda record: record.id)


@operations.post("", "Open record", status=201, errors=(404,), example=answer_example(EXAMPLE, 201), example_once=True)
def open_one(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    reply: Reply,
    quotes: Quotes,
    located: Located,
    body: NewRecordBody,
) -> "Answer[ListedOut]":
    """A further record of the caller's account, for a child or a parent, with a code of its own."""
    if body.product_code is not None:
        limiter.hit_claim(request, address, caller.account_id)
    quotes(caller.account_id)
    wanted = NewRecord(body.relacion, body.product_code, body.product_tag, body.template_type, body.nombres)
    most = min(parts.settings.account_records, allowance(db, caller.account_id, now).records)
    opened = open_further_record(db, parts.keyring, caller, wanted, now, most=most)
    db.orm.flush()
    [listed] = records_for(db, parts.keyring, caller.account_id, now, after=opened.id - 1, most=1)
    located(f"/fmd/{listed.products[0].code}")
    return reply(_listed_out(listed))


@operations.delete(
    "/{code}",
    "Erase record",
    errors=(403, 404, 409, 419),
    example=answer_example({"erased": True}),
    example_caller=DEMO_NURSE,
    example_once=True,
    pool=Pool.CLAVES,
)
def erase_one(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    reply: Reply,
    code: ErasedCode,
    body: RecordFarewell,
) -> "Answer[ErasedRecord]":
    """Erases one record for good: its key is destroyed, its codes are retired. Its access log remains. The only record
    of an account goes with the account."""
    confirm_clave(request, limiter, parts, caller, body.clave)  # Slow, so before the record is locked.
    erase_one_record(db, parts.keyring, caller, code, now, origin=address)
    return reply(ErasedRecord())


def _listed_out(record: ListedRecord) -> ListedOut:
    shown = filled(
        ListedAttributes,
        record,
        via=str(record.access.via),
        edita=record.access.rights.changes,
        hasta=record.ends_at,
        product_codes=[product.code for product in record.products if not product.is_bp],
        bp_codes=[product.code for product in record.products if product.is_bp],
        freshness=None if record.freshness is None else record.freshness.value,
    )
    return Resource(type="fmd", id=record.id, attributes=shown)
