"""Access of other accounts to a record: offer, accept, list, withdraw. For the owner and her guardians."""

from typing import Annotated, Literal

from fastapi import Path, Request
from pydantic import AwareDatetime, Field

from ficha.accounts.accounts import Account
from ficha.api.bodies import Body
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Correo
from ficha.fmd.grants import Grant, GrantKind, live_grants
from ficha.fmd.invitations import accept, correo_of
from ficha.fmd.offers import end_access, must_offer, offer_access
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Quotes, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd

operations = Operations("fmd", prefix="/fmd")


class NewGrant(Body):
    correo: Correo = Field(description="Who is invited, with an account or without.", examples=["luis@demo.example"])
    tipo: Literal["delegate", "guardian", "owner"] = Field(
        description="A guardian stands in for the owner. With `owner` she hands the record over.", examples=["delegate"]
    )
    hasta: Annotated[AwareDatetime, Field(strict=False)] = Field(examples=["2033-01-31T00:00:00+00:00"])
    edita: bool = Field(
        False,
        description="Whether a delegate may also change what she sees. When a record is handed over: whether who "
        "had it stays as such a delegate, until `hasta`, or leaves.",
    )


class Accepting(Body):
    token: str = Field(min_length=1, max_length=100, description="From the link in the mail.", examples=["Zr8vQ2…"])


class GrantAttributes(DeferredModel):
    estado: Literal["invited", "accepted"] = Field(description="invited until the person accepts by the mailed link.")
    correo: str
    nombre: str | None = Field(description="Null until the person has accepted.")
    tipo: str
    edita: bool
    desde: Moment
    hasta: Moment


class Withdrawn(DeferredModel):
    withdrawn: bool = True


GrantOut = Resource[GrantAttributes]
ATTRIBUTES = {
    "estado": "accepted",
    "correo": "luis@ejemplo.com",
    "nombre": "Luis Molina",
    "tipo": "delegate",
    "edita": False,
    "desde": "2026-11-15T12:00:00+00:00",
    "hasta": "2027-01-31T00:00:00+00:00",
}
EXAMPLE = {"type": "grant", "id": 5, "attributes": ATTRIBUTES}
OFFERED = EXAMPLE | {"attributes": ATTRIBUTES | {"estado": "invited", "nombre": None}}


@operations.post(
    "/{code}/grants",
    "Grant access",
    door="bearer",
    status=201,
    errors=(403, 404, 409, 415, 422),
    example=answer_example(OFFERED, 201),
)
def grant(
    request: Request,
    db: Db,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    limiter: Limiter,
    now: Now,
    reply: Reply,
    quotes: Quotes,
    body: NewGrant,
) -> "Answer[GrantOut]":
    """Offers somebody access until a date. An invitation is mailed, and access begins when the person accepts by its
    link, in the place of what she had. `owner` hands the record over, which only its owner may do. The answer is the
    same whether or not the correo has an account. What a guardian gives ends with his own right."""
    must_offer(fmd, body.tipo)
    limiter.hit(request, "invitation", f"account:{caller.account_id}")
    made = offer_access(db, fmd, caller.account_id, body.correo, body.tipo, now, ends_at=body.hasta, edits=body.edita)
    quotes(fmd.record.account_id)
    return reply(_grant_out(made, None, fmd.key))


@operations.post(
    "/grants/accept",
    "Accept access",
    door="bearer",
    errors=(404, 409, 415, 422),
    example=answer_example(EXAMPLE),
)
def accept_invitation(
    db: Db, parts: Parts, caller: CurrentCaller, now: Now, address: Address, reply: Reply, body: Accepting
) -> "Answer[GrantOut]":
    """The caller takes what was offered to her correo, with the secret of the mailed link."""
    most = parts.settings.account_records
    found = accept(db, parts.keyring, body.token, caller.account_id, now, most=most, origin=address)
    return reply(_grant_out(found.grant, db.get_one(Account, caller.account_id), found.key))


@operations.get("/{code}/grants", "Grants", door="bearer", errors=(403, 404), example=listing_example([EXAMPLE]))
def list_grants(reading: Reading, opened: ReadFmd, now: Now, reply: Reply) -> "Listing[GrantOut]":
    """Who may open this record besides its owner, and who was invited to."""
    opened.fmd.must_manage()
    found = live_grants(reading, opened.fmd.id, now)
    return reply.listing([_grant_out(made, account, opened.fmd.key) for made, account in found], len(found), None)


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
) -> "Answer[Withdrawn]":
    """Ends a grant or an invitation at once, and what was given onward by it."""
    end_access(db, fmd, grant_id, now)
    return reply(Withdrawn())


def _grant_out(made: Grant, account: Account | None, key: bytes) -> GrantOut:
    """`key` is the record's."""
    return Resource(
        type="grant",
        id=made.id,
        attributes=GrantAttributes(
            estado="invited" if account is None else "accepted",
            correo=correo_of(made, key) if account is None else account.correo,
            nombre=None if account is None else account.nombre,
            tipo=made.kind,
            edita=made.edits or made.kind == GrantKind.GUARDIAN,
            desde=made.granted_at,
            hasta=made.ends_at,
        ),
    )
