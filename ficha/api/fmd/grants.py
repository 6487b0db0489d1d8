"""Access of other accounts to a record: grant, list, withdraw. For the owner and her guardians."""

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import Path
from pydantic import AwareDatetime, Field

from ficha.accounts.accounts import Account
from ficha.api.bodies import Body
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Source
from ficha.core.text_types import Correo
from ficha.fmd.grants import Grant, GrantKind, grant_access, live_grants, withdraw_access
from ficha.http.dependencies import Db, Now, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd

operations = Operations("fmd", prefix="/fmd")

MAX_DURATION = timedelta(days=3660)


class GrantEndOutOfRange(FichaError):
    status = 422
    code = "fecha_fuera_de_rango"
    message = "La fecha final debe estar en el futuro, y a menos de diez años."
    source = Source("pointer", "/hasta")


class NewGrant(Body):
    correo: Correo = Field(description="Of an existing account.", examples=["luis@demo.example"])
    tipo: Literal["delegate", "guardian"] = Field(
        description="A guardian stands in for the owner.", examples=["delegate"]
    )
    hasta: Annotated[AwareDatetime, Field(strict=False)] = Field(examples=["2033-01-31T00:00:00+00:00"])
    edita: bool = Field(False, description="Whether a delegate may also change what she sees.")


class GrantAttributes(DeferredModel):
    correo: str
    nombre: str
    tipo: str
    edita: bool
    desde: Moment
    hasta: Moment


class Withdrawn(DeferredModel):
    withdrawn: bool = True


GrantOut = Resource[GrantAttributes]
EXAMPLE = {
    "type": "grant",
    "id": 5,
    "attributes": {
        "correo": "luis@ejemplo.com",
        "nombre": "Luis Molina",
        "tipo": "delegate",
        "edita": False,
        "desde": "2026-11-15T12:00:00+00:00",
        "hasta": "2027-01-31T00:00:00+00:00",
    },
}


@operations.post(
    "/{code}/grants",
    "Grant access",
    door="bearer",
    status=201,
    errors=(403, 404, 409, 415, 422),
    example=answer_example(EXAMPLE, 201),
)
def grant(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, body: NewGrant) -> Answer[GrantOut]:
    """Lets another account in until a date. A new grant replaces the one the same person had."""
    fmd.must_manage()
    if not now < body.hasta <= now + MAX_DURATION:
        raise GrantEndOutOfRange
    made, account = grant_access(
        db, fmd.record, body.correo, GrantKind(body.tipo), now, ends_at=body.hasta, edits=body.edita
    )
    fmd.note(db, "access.granted", [f"account:{account.id}"], now)
    return reply(_grant_out(made, account))


@operations.get("/{code}/grants", "Grants", door="bearer", errors=(403, 404), example=listing_example([EXAMPLE]))
def list_grants(reading: Reading, opened: ReadFmd, now: Now, reply: Reply) -> Listing[GrantOut]:
    """Who may open this record besides its owner."""
    opened.fmd.must_manage()
    found = live_grants(reading, opened.fmd.id, now)
    return reply.listing([_grant_out(made, account) for made, account in found], len(found), None)


@operations.delete(
    "/{code}/grants/{id}",
    "Withdraw access",
    door="bearer",
    errors=(403, 404, 419, 422),
    example=answer_example({"withdrawn": True}),
)
def withdraw(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    grant_id: Annotated[int, Path(alias="id", ge=1, le=2**63 - 1, examples=[1])],
) -> Answer[Withdrawn]:
    """Ends a grant at once."""
    fmd.must_manage()
    withdraw_access(db, fmd.id, grant_id, now)
    fmd.note(db, "access.withdrawn", [f"grant:{grant_id}"], now)
    return reply(Withdrawn())


def _grant_out(made: Grant, account: Account) -> GrantOut:
    return Resource(
        type="grant",
        id=made.id,
        attributes=GrantAttributes(
            correo=account.correo,
            nombre=account.nombre,
            tipo=made.kind,
            edita=made.edits or made.kind == GrantKind.GUARDIAN,
            desde=made.granted_at,
            hasta=made.ends_at,
        ),
    )
