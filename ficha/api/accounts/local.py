"""The seed's Local group: the same rules under version 1, and the caller's own account."""

from typing import Annotated, Self

from fastapi import Request
from pydantic import Field, model_validator

from ficha.accounts.account_changes import AccountChanges, change_account
from ficha.accounts.accounts import Idioma
from ficha.accounts.login import hash_clave
from ficha.api.accounts.account_bodies import Me, PersonBody, me_example, me_out, user_example
from ficha.api.accounts.auth import login, logout
from ficha.api.bodies import Body
from ficha.api.examples import DEMO_CLAVE, answer_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Clave, Correo
from ficha.enrolment.erasure import erase_account
from ficha.fmd.record_codes import codes_of_account
from ficha.fmd.records import records_of
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reply, limit_by_address
from ficha.http.envelope import Answer
from ficha.http.etags import AlreadyThere, OnlyNew
from ficha.http.limits import RateLimit
from ficha.http.login_limits import confirm_clave

operations = Operations("accounts", prefix="/local", callers="bearer")

operations.post(
    "/login",
    "Local: Login",
    callers="public",
    seed="Local group: Login",
    errors=(401,),
    example=user_example(200),
    dependencies=[limit_by_address(RateLimit.LOGIN)],
    pool=Pool.CLAVES,
)(login)
operations.post("/logout", "Local: Logout", seed="Local group: Logout", example=answer_example({"sessions_ended": 1}))(
    logout
)


class AccountData(PersonBody):
    idioma: Annotated[Idioma, Field(strict=False)] = Idioma.ES
    correo: Correo | None = Field(None, description="A new correo; asks for the clave, and must be verified again.")
    clave_nueva: Clave | None = Field(None, description="A new clave; asks for the present one, ends other sessions.")
    clave: str | None = Field(None, max_length=128, description="The present clave, to change correo or clave.")

    @model_validator(mode="after")
    def requires_the_present_clave(self) -> Self:
        if (self.correo is not None or self.clave_nueva is not None) and self.clave is None:
            sentence = "Para cambiar el correo o la clave, escriba su clave actual."
            raise self.fault_at("clave", "falta_clave", sentence)
        return self


class AccountFarewell(Body):
    clave: str = Field(max_length=128, description="The clave, to confirm.", examples=[DEMO_CLAVE])


class Erased(DeferredModel):
    erased: bool = True


@operations.put(
    "/data",
    "Local: Update data",
    seed="Local group: Update data",
    errors=(412,),
    example=me_example(),
    pool=Pool.CLAVES,
)
def update_data(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    reply: Reply,
    limiter: Limiter,
    request: Request,
    address: Address,
    only_new: OnlyNew,
    body: AccountData,
) -> "Answer[Me]":
    """Replaces what the account says about its person."""
    if only_new:
        raise AlreadyThere
    if body.correo is not None:  # Whether it is taken is told a few times a minute, as at registration.
        limiter.hit_address(request, RateLimit.REGISTRATION, address)
    clave_hash = None
    if body.clave is not None:
        confirm_clave(request, limiter, parts, caller, body.clave)
    if body.clave_nueva is not None:
        clave_hash = hash_clave(body.clave_nueva)
    account = change_account(
        db,
        parts.secrets,
        caller,
        AccountChanges(
            nombre=body.nombre,
            cod_telefono=body.cod_telefono,
            telefono=body.telefono,
            idioma=body.idioma,
            correo=body.correo,
            clave_hash=clave_hash,
        ),
    )
    for record in records_of(db, account.id)[:1]:
        record.relacion = body.relacion
    return reply(me_out(account, caller, codes_of_account(db, account.id)))


@operations.delete(
    "/data",
    "Local: Delete data",
    seed="Local group: Delete data",
    errors=(419,),
    example=answer_example({"erased": True}),
    example_caller="pedro@demo.example",
    example_once=True,
    pool=Pool.CLAVES,
)
def delete_data(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    reply: Reply,
    limiter: Limiter,
    request: Request,
    body: AccountFarewell,
) -> "Answer[Erased]":
    """Erases the account and destroys the key of its medical record. The record's access log remains."""
    confirm_clave(request, limiter, parts, caller, body.clave)
    erase_account(db, parts.keyring, caller.account_id, caller.actor, now)
    return reply(Erased())
