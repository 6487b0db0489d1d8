"""Access of other accounts to a record: offer, accept, list, withdraw. For the owner and her guardians. And handing a
record over: its owner confirms who gets it, and the new one keeps who could open it before."""

from typing import Annotated, Literal, Self

from fastapi import Path, Request
from pydantic import AwareDatetime, ConfigDict, Field, JsonValue, model_validator

from ficha.accounts.accounts import Account
from ficha.administration.subscriptions import allowance
from ficha.api.accounts.verification import QUEUED_EXAMPLE, Queued
from ficha.api.bodies import Body, CodTelefono, Telefono
from ficha.api.examples import (
    DEMO_DIGITS,
    DEMO_GIVEN,
    DEMO_INVITED,
    DEMO_INVITED_NUMBER,
    DEMO_NURSE,
    DEMO_READY,
    DEMO_TAKEN,
    answer_example,
    listing_example,
    resource_example,
)
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.phones import one_spelling
from ficha.core.text_types import Correo
from ficha.enrolment.confirm_hand_over import confirm_hand_over
from ficha.fmd.grants import Grant, GrantKind, held_grants, live_grants
from ficha.fmd.hand_over import keep_access
from ficha.fmd.invitations import (
    NoCodeNeeded,
    accept,
    address_of,
    end_access,
    invitation_with,
    is_number,
    must_offer,
    offer_access,
    put_number_code,
    recipient,
)
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
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import Code, CurrentFmd, ReadFmd
from ficha.http.limits import RateLimit
from ficha.http.openapi import ENDS_EXAMPLE

operations = Operations("fmd", prefix="/fmd", callers="bearer", progress="Developing")

OFFER: dict[str, JsonValue] = {"tipo": "delegate", "hasta": ENDS_EXAMPLE}
BY_MAIL = OFFER | {"correo": "luis@demo.example"}
BY_MESSAGE = OFFER | {"cod_telefono": "+58", "telefono": "4125552222"}


class NewGrant(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [BY_MAIL, BY_MESSAGE]})

    correo: Correo | None = Field(
        None, description="Who is invited by mail, with an account or without.", examples=["luis@demo.example"]
    )
    cod_telefono: CodTelefono | None = Field(None, description="Country prefix of `telefono`.", examples=["+58"])
    telefono: Telefono | None = Field(
        None,
        description="In the place of `correo`: who is invited by WhatsApp. Without the prefix, digits only.",
        examples=["4125552222"],
    )
    tipo: Literal["delegate", "guardian", "owner"] = Field(
        description="A guardian stands in for the owner. With `owner` she hands the record over.", examples=["delegate"]
    )
    hasta: Annotated[AwareDatetime, Field(strict=False)] | None = Field(
        description="Null: until it is ended, of which the owner is reminded each year.",
        examples=[ENDS_EXAMPLE],
    )
    edita: bool = Field(
        False,
        description="Whether a delegate may also change what she sees. When a record is handed over: whether who "
        "had it asks to stay as such a delegate, until `hasta`.",
    )

    @model_validator(mode="after")
    def names_one_person(self) -> Self:
        if (self.correo is None) == (self.telefono is None):
            sentence = "Escriba un correo, o un número en cod_telefono y telefono: uno de los dos."
            raise self.fault_at("correo", "correo_o_telefono", sentence)
        if (self.cod_telefono is None) != (self.telefono is None):
            sentence = "El prefijo del país va con el número, y solo con él."
            raise self.fault_at("cod_telefono", "falta_prefijo", sentence)
        _ = self.address
        return self

    @property
    def address(self) -> str:
        """A correo, or a number in E.164."""
        return self.correo or self.dialled(self.cod_telefono or "", self.telefono or "")


LinkToken = Annotated[str, Field(min_length=1, max_length=100, description="From the link in the mail or the message.")]


class InvitedNumber(Body):
    token: LinkToken = Field(examples=[DEMO_INVITED_NUMBER])


class Accepting(Body):
    token: LinkToken = Field(examples=[DEMO_INVITED])
    codigo: str = Field(
        "",
        max_length=10,
        description="Of an invitation by number: the six digits that were sent there when they were asked for.",
        examples=[DEMO_DIGITS],
    )


class GrantAttributes(DeferredModel):
    estado: Literal["invited", "waiting", "accepted", "held"] = Field(
        description="invited until the person accepts by the link; waiting: she accepted that the record is handed "
        "over to her, and its owner has not confirmed it; held: she could open the record before it was handed over, "
        "and its new owner has not kept her."
    )
    correo: str = Field(description="Empty until somebody who was invited by her number has accepted.")
    telefono: str | None = Field(description="The number that was invited, until the person has accepted.")
    nombre: str | None = Field(description="Null until the person has accepted.")
    tipo: str
    edita: bool
    desde: Moment
    hasta: Moment | None = Field(description="Null where it lasts until it is ended.")
    sin_entregar: bool = Field(description="The mail or message of the invitation could not be delivered.")


class Withdrawn(DeferredModel):
    withdrawn: bool = True


class HandedOver(DeferredModel):
    handed_over: bool = True
    nombre: str = Field(description="Whose the record is now.")


GrantOut = Resource[GrantAttributes]
GIVEN = {"correo": "luis@ejemplo.com", "tipo": "delegate", "hasta": ENDS_EXAMPLE}
EXAMPLE = resource_example("grant", 5, GrantAttributes, estado="accepted", nombre="Luis Molina", **GIVEN)
OFFERED = resource_example("grant", 5, GrantAttributes, estado="invited", **GIVEN)
GrantId = Annotated[int, Path(alias="id", ge=1, le=2**63 - 1, examples=[1])]


@operations.post("/{code}/grants", "Grant access", status=201, errors=(403, 404), example=answer_example(OFFERED, 201))
def grant(
    request: Request,
    db: Db,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    limiter: Limiter,
    now: Now,
    reply: Reply,
    located: Located,
    code: Code,
    body: NewGrant,
) -> "Answer[GrantOut]":
    """Offers somebody access until a date or until it is ended, by mail to `correo`, or by WhatsApp to `cod_telefono`
    and `telefono`. Access begins when the person accepts by the link that was sent, in the place of what she had.
    `owner` hands the record over, which only its owner may do, and waits for her to confirm who accepted. The answer is
    the same whether or not the correo or the number has an account. An invitation that is pending for the same person
    ends. What a guardian gives ends with his own right."""
    must_offer(fmd, body.tipo)
    limiter.hit_invitation(request, caller.account_id, recipient(body.address))
    most, ends_at = allowance(db, caller.account_id, now).people, body.hasta
    made = offer_access(
        db, fmd, caller.account_id, body.address, body.tipo, now, ends_at=ends_at, edits=body.edita, most=most
    )
    located(f"/fmd/{code}/grants")
    return reply(grant_out(made, None, fmd.key))


@operations.post(
    "/grants/code",
    "Accept access: request code",
    errors=(404,),
    example=QUEUED_EXAMPLE,
    example_caller=DEMO_NURSE,
)
def request_code(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    now: Now,
    reply: Reply,
    body: InvitedNumber,
) -> "Answer[Queued]":
    """Sends six digits by WhatsApp to the number that was invited: who accepts proves with them that she answers it."""
    found = invitation_with(db, parts.keyring, body.token, now)
    if not found.is_by_number:
        raise NoCodeNeeded
    # Counted together with the codes that verify a phone: it rings for all of them.
    limiter.hit(request, RateLimit.CODE, f"phone:{one_spelling(found.address)}")
    put_number_code(db, found, caller.account_id)
    return reply(Queued())


@operations.post(
    "/grants/accept",
    "Accept access",
    errors=(404,),
    example=answer_example(EXAMPLE),
    example_caller=DEMO_NURSE,
    example_once=True,
)
def accept_invitation(
    db: Db, parts: Parts, caller: CurrentCaller, now: Now, address: Address, reply: Reply, body: Accepting
) -> "Answer[GrantOut]":
    """The caller takes what was offered, with the secret of the link: to the correo of her account, or to a number that
    she proves with `codigo`. A record that is handed over waits then for its owner to confirm her."""
    found = accept(
        db,
        parts.keyring,
        parts.secrets,
        body.token,
        caller.account_id,
        now,
        most=parts.settings.account_records,
        codigo=body.codigo,
        origin=address,
    )
    return reply(grant_out(found.grant, db.orm.get_one(Account, caller.account_id), found.key))


@operations.get("/{code}/grants", "Grants", errors=(403, 404, 422), example=listing_example([EXAMPLE]))
def list_grants(reading: Reading, opened: ReadFmd, now: Now, page: Page) -> "Listing[GrantOut]":
    """Who may open this record besides its owner, and who was invited to, the first first. For a new owner also who
    could open it before it was handed over (`held`)."""
    opened.fmd.must_manage()
    found = live_grants(reading, opened.fmd.id, now)
    if opened.fmd.via == "owner":
        found += held_grants(reading, opened.fmd.id, now)
    return page.part(found, lambda one: grant_out(*one, opened.fmd.key), lambda one: one[0].id)


@operations.delete(
    "/{code}/grants/{id}",
    "Withdraw access",
    errors=(403, 404, 419, 422),
    example=answer_example({"withdrawn": True}),
    example_path={"code": DEMO_READY},
    example_caller=DEMO_NURSE,
    example_once=True,
)
def withdraw(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, grant_id: GrantId) -> "Answer[Withdrawn]":
    """Ends a grant or an invitation at once, and what was given onward by it. Refuses a hand-over that waits."""
    end_access(db, fmd, grant_id, now)
    return reply(Withdrawn())


@operations.post(
    "/{code}/grants/{id}/confirm",
    "Confirm hand-over",
    errors=(403, 404, 422),
    example=answer_example({"handed_over": True, "nombre": "Luis Molina"}),
    example_path={"code": DEMO_GIVEN, "id": 2},
    example_caller=DEMO_NURSE,
    example_once=True,
)
def confirm(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    quotes: Quotes,
    grant_id: GrantId,
) -> "Answer[HandedOver]":
    """The owner confirms the account that accepted (`waiting`): the record is that person's at once, and for good.
    Every other invitation and every access ends; the new owner chooses whom to keep. To refuse it, withdraw it."""
    most = parts.settings.account_records
    heir = confirm_hand_over(db, parts.keyring, fmd, grant_id, caller.account_id, now, most=most)
    quotes(heir.id)
    return reply(HandedOver(nombre=heir.nombre))


@operations.post(
    "/{code}/grants/{id}/keep",
    "Keep access",
    errors=(403, 404, 422),
    example=answer_example(EXAMPLE),
    example_path={"code": DEMO_TAKEN, "id": 3},
    example_caller=DEMO_NURSE,
    example_once=True,
)
def keep(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, quotes: Quotes, grant_id: GrantId) -> "Answer[GrantOut]":
    """The new owner of a record that was handed over lets somebody go on who could open it before (`held`)."""
    kept = keep_access(db, fmd, grant_id, now)
    quotes(kept.account_id)
    return reply(grant_out(kept, db.orm.get_one(Account, kept.account_id), fmd.key))


def grant_out(made: Grant, account: Account | None, key: bytes) -> GrantOut:
    """`key` is the record's."""
    address = address_of(made, key) if account is None else account.correo
    is_called = account is None and is_number(address)
    shown = GrantAttributes(
        estado=made.state.value,
        correo="" if is_called else address,
        telefono=address if is_called else None,
        nombre=None if account is None else account.nombre,
        tipo=made.kind,
        edita=made.edits or made.kind == GrantKind.GUARDIAN,
        desde=made.granted_at,
        hasta=made.end,
        sin_entregar=made.undelivered_at is not None,
    )
    return Resource(type="grant", id=made.id, attributes=shown)
