"""The carnet: its state, its files, issuing, revoking, and the public check of its serial."""

from typing import Annotated, Any

from fastapi import Depends, Path, Query
from pydantic import Field
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.administration.services import Service, active_service
from ficha.api.bodies import Body
from ficha.api.examples import DEMO_NURSE, DEMO_READY, DEMO_SERIAL, answer_example, file_answer, resource_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.cards.carnet_pages import CarnetForm, initials, verify_url
from ficha.cards.carnets import (
    Carnet,
    CarnetState,
    issue_carnet,
    newest_carnet,
    revoke_carnet,
    state_of,
    verify_carnet,
)
from ficha.cards.printing import FileType
from ficha.core.deferred_model import DeferredModel
from ficha.core.transaction import Transaction
from ficha.fmd.stored_documents import stored_documents
from ficha.http.carnet_files import CarnetPrint, carnet_file
from ficha.http.dependencies import Address, CurrentCaller, Db, Located, Now, Parts, Reading, Reply, limit_by_address
from ficha.http.envelope import Answer, Moment, Resource, filled
from ficha.http.file_answers import file_response
from ficha.http.fmd_dependencies import Code, CurrentFmd, ReadFmd
from ficha.http.limits import RateLimit
from ficha.parts import Parts as AllParts

operations = Operations("products", prefix="/carnet", callers="bearer")

# Of who has one, for the examples.
HELD = {"code": DEMO_READY}
Serial = Annotated[str, Path(description="What is printed on the card.", examples=[DEMO_SERIAL], max_length=40)]
FormAsked = Annotated[CarnetForm, Query(description="wallet, or large print.")]
Language = Annotated[Idioma, Query(description="es, en or pt.")]
OFFLINE = (
    "Whether its QR holds the emergency lines too. Whoever sees the card reads them, without a network, and what is "
    "printed cannot be taken back."
)
HEALTH_CARD = (
    "Whether the record's Health Card is on its back, a QR for health programs; only on the large form. It is issued, "
    "listed and noted as such. Whoever sees the card reads it, and what is printed cannot be taken back."
)


def carnet_print(
    form: FormAsked = CarnetForm.WALLET,
    idioma: Language = Idioma.ES,
    offline: Annotated[bool, Query(description=OFFLINE)] = False,
    health_card: Annotated[bool, Query(description=HEALTH_CARD)] = False,
) -> CarnetPrint:
    return CarnetPrint(form, idioma, offline, health_card)


PrintAsked = Annotated[CarnetPrint, Depends(carnet_print)]


class CarnetAttributes(DeferredModel):
    state: CarnetState = Field(description="none, issued, revoked or expired.")
    serial: str | None
    code: str | None = Field(description="The card's own code, which its QR holds with its tag.")
    issued_at: Moment | None
    expires_at: Moment | None
    revoked_at: Moment | None
    verify_url: str | None = Field(description="Where anybody checks that the card is genuine.")


class CarnetOrder(Body):
    service: str | None = Field(
        None, min_length=1, max_length=120, description="The service whose name, colour and logo it carries."
    )


class VerifiedAttributes(DeferredModel):
    state: CarnetState
    issued_at: Moment
    expires_at: Moment
    initials: str | None = Field(description="Of the holder, to be compared with the card; none if it is not valid.")
    issuer: str | None


CarnetOut = Resource[CarnetAttributes]


def carnet_example(state: str = "issued") -> dict[str, Any]:
    return resource_example(
        "carnet",
        "K7M2QX",
        CarnetAttributes,
        state=state,
        serial=DEMO_SERIAL,
        code="C4R8N2",
        issued_at="2026-11-15T12:00:00+00:00",
        expires_at="2027-11-15T12:00:00+00:00",
        verify_url=f"https://ficha.example/carnet/{DEMO_SERIAL}",
    )


@operations.post(
    "/{code}/issue",
    "Issue carnet",
    seed=True,
    status=201,
    errors=(403, 404),
    example=answer_example(carnet_example(), 201),
    example_once=True,
)
def issue(
    db: Db,
    fmd: CurrentFmd,
    parts: Parts,
    now: Now,
    reply: Reply,
    located: Located,
    code: Code,
    body: CarnetOrder | None = None,
) -> "Answer[CarnetOut]":
    """A card with a code and a tag of its own, for owner and guardian."""
    fmd.must_manage()
    located(f"/carnet/{code}")
    service = active_service(db, body.service) if body and body.service else None
    documents = {name: entry.document for name, entry in stored_documents(db, fmd.id, fmd.key).items()}
    carnet = issue_carnet(
        db,
        fmd,
        now,
        days=parts.settings.carnet_days,
        initials=initials(documents, now),
        service_id=service.id if service else None,
    )
    return reply(_carnet_out(db, parts, code, carnet, CarnetState.ISSUED))


def _declare_file(file_type: FileType, words: str) -> None:
    def printed(
        reading: Reading,
        opened: ReadFmd,
        parts: Parts,
        caller: CurrentCaller,
        now: Now,
        code: Code,
        asked: PrintAsked,
    ) -> Response:
        drawn = carnet_file(reading, opened, parts, caller, now, code, file_type, asked)
        return file_response(file_type, drawn)

    printed.__doc__ = f"The card as {words}, for owner and guardian: only what a responder may see is on it."
    operations.get(
        f"/{{code}}.{file_type.name.lower()}",
        f"Carnet {file_type.name}",
        errors=(403, 404, 409, 422, 503),
        responses=file_answer(file_type, "…"),
        example_path=HELD,
        example_caller=DEMO_NURSE,
        response_class=Response,
        pool=Pool.LONG,
    )(printed)


_declare_file(FileType.PDF, "PDF/A")
_declare_file(FileType.PNG, "a picture")
_declare_file(FileType.SVG, "a drawing")


@operations.get(
    "/{code}",
    "Carnet",
    seed=True,
    errors=(404, 503),
    example=answer_example(carnet_example()),
    example_path=HELD,
    example_caller=DEMO_NURSE,
)
def carnet(reading: Reading, opened: ReadFmd, parts: Parts, now: Now, reply: Reply, code: Code) -> "Answer[CarnetOut]":
    """The record's card: none, or the newest."""
    found = newest_carnet(reading, opened.fmd.id)
    opened.note("carnet.read", [], now)
    return reply(_carnet_out(reading, parts, code, found, state_of(reading, found, now)))


@operations.get(
    "/verify/{serial}",
    "Verify carnet",
    callers="public",
    seed=True,
    errors=(404, 422, 503),
    example=answer_example(
        resource_example(
            "carnet",
            DEMO_SERIAL,
            VerifiedAttributes,
            state="issued",
            expires_at="2027-11-15T12:00:00+00:00",
            initials="A. P.",
        )
    ),
    dependencies=[limit_by_address(RateLimit.CARNET)],
)
def verify(
    reading: Reading, parts: Parts, now: Now, address: Address, reply: Reply, serial: Serial
) -> "Answer[Resource[VerifiedAttributes]]":
    """Whether a card is genuine and valid. Nothing medical, and no name."""
    found = verify_carnet(reading, parts.keyring, parts.read_log, serial, now, origin=address)
    service = None if found.service_id is None else reading.orm.get(Service, found.service_id)
    issuer = service.name if service else None
    shown = filled(VerifiedAttributes, found, initials=found.initials or None, issuer=issuer)
    return reply(Resource(type="carnet", id=found.serial, attributes=shown))


@operations.post(
    "/{code}/revoke",
    "Revoke carnet",
    callers="bearer",
    seed="Revoke carnet",
    errors=(403, 404, 409),
    example=answer_example(carnet_example("revoked")),
    example_once=True,
    example_path=HELD,
    example_caller=DEMO_NURSE,
)
def revoke(db: Db, fmd: CurrentFmd, parts: Parts, now: Now, reply: Reply, code: Code) -> "Answer[CarnetOut]":
    """The card is no longer valid: its code and its tag open nothing from now on."""
    return reply(_carnet_out(db, parts, code, revoke_carnet(db, fmd, now), CarnetState.REVOKED))


def _carnet_out(tx: Transaction, parts: AllParts, code: str, carnet: Carnet | None, state: CarnetState) -> CarnetOut:
    if carnet is None:
        shown = CarnetAttributes(**dict.fromkeys(CarnetAttributes.model_fields) | {"state": state})
    else:
        url = verify_url(parts.settings.public_url, carnet.serial)
        shown = filled(CarnetAttributes, carnet, state=state, verify_url=url)
    return Resource(type="carnet", id=code.upper(), attributes=shown)
