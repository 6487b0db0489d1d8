"""Registration, login, logout, `me`, and the cookie for our own front ends."""

from typing import Annotated, Self

from fastapi import Request, Response
from pydantic import Field, StringConstraints, model_validator

from ficha.accounts.accounts import Idioma
from ficha.accounts.browser_sessions import start_session
from ficha.accounts.login import check_clave, hash_clave, log_in
from ficha.accounts.statements import read_account
from ficha.accounts.tokens import issue_token, revoke_all, revoke_token
from ficha.api.accounts.account_bodies import Me, PersonBody, User, me_example, me_out, user_example, user_out
from ficha.api.bodies import Body, ProductCode, ProductTag
from ficha.api.examples import DEMO_CLAVE, DEMO_CORREO, DEMO_PRINTED, answer_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Clave, Correo
from ficha.enrolment.registration import NewPerson, register
from ficha.fmd.record_codes import codes_of_account
from ficha.http.dependencies import (
    Address,
    Browser,
    CurrentCaller,
    Db,
    Limiter,
    Located,
    Now,
    Parts,
    Quotes,
    Reading,
    Reply,
    limit_by_address,
)
from ficha.http.envelope import Answer
from ficha.http.limits import RateLimit
from ficha.http.login_limits import LoginLimits, check_second_factor

operations = Operations("accounts", callers="bearer")
csrf_operations = Operations("accounts")


class Registration(PersonBody):
    correo: Correo = Field(examples=["maria@ejemplo.com"])
    clave: Clave = Field(description="10 to 128 characters.", examples=["caballo-bateria-grapa"])
    product_code: ProductCode | None = Field(None, description="A printed sticker to claim.", examples=[DEMO_PRINTED])
    product_tag: ProductTag | None = Field(
        None,
        description="From the sticker's QR. Without it the mailbox is asked, and the QR opens nothing until then.",
        examples=["QX7M2K5TNBP4RWZC6DHJ3VFYGA"],
    )
    idioma: Annotated[Idioma, Field(strict=False)] = Idioma.ES

    @model_validator(mode="after")
    def has_the_code_of_its_tag(self) -> Self:
        if self.product_tag is not None and self.product_code is None:
            sentence = "Escriba también el código de la etiqueta, en product_code."
            raise self.fault_at("product_code", "falta_codigo", sentence)
        return self

    def person(self) -> NewPerson:
        return NewPerson(
            correo=self.correo,
            clave_hash=hash_clave(self.clave),
            nombre=self.nombre,
            cod_telefono=self.cod_telefono,
            telefono=self.telefono,
            relacion=self.relacion,
            idioma=self.idioma,
            product_code=self.product_code,
            product_tag=self.product_tag,
        )


class Login(Body):
    """Any text is accepted and simply does not match: a form error would say which correos could exist."""

    correo: Annotated[str, StringConstraints(strip_whitespace=True, max_length=254)] = Field(examples=[DEMO_CORREO])
    clave: Annotated[str, StringConstraints(max_length=128)] = Field(examples=[DEMO_CLAVE])
    codigo: Annotated[str, StringConstraints(max_length=40)] | None = Field(
        None, description="Of the second factor, for an account that has one.", examples=[None]
    )


class Logout(Body):
    all: bool = Field(False, description="End every session of the account, not only this one.")


class Left(DeferredModel):
    sessions_ended: int


@operations.post(
    "/auth/register",
    "Register",
    callers="public",
    seed=True,
    status=201,
    errors=(404,),
    example=user_example(201),
    example_once=True,
    dependencies=[limit_by_address(RateLimit.REGISTRATION)],
    pool=Pool.CLAVES,
)
def register_person(
    request: Request,
    db: Db,
    parts: Parts,
    limiter: Limiter,
    address: Address,
    now: Now,
    reply: Reply,
    quotes: Quotes,
    located: Located,
    body: Registration,
) -> "Answer[User]":
    """Creates the account, its medical record and its first code, and logs in."""
    if body.product_code is not None:
        limiter.hit_claim(request, address)
    person = body.person()  # Hashes the clave: slow, so before the first statement.
    account = register(db, person, parts.keyring, now)
    quotes(account.id)
    located("/auth/me")
    token = issue_token(db, account, now, parts.settings.token_minutes)
    return reply(user_out(account, token, codes_of_account(db, account.id)))


@operations.post(
    "/auth/login",
    "Login",
    callers="public",
    seed=True,
    errors=(401,),
    example=user_example(200),
    dependencies=[limit_by_address(RateLimit.LOGIN)],
    pool=Pool.CLAVES,
)
def login(
    db: Db,
    parts: Parts,
    now: Now,
    reply: Reply,
    quotes: Quotes,
    browser: Browser,
    limiter: Limiter,
    address: Address,
    request: Request,
    response: Response,
    body: Login,
) -> "Answer[User]":
    """A wrong correo and a wrong clave get the same answer after the same time."""
    limits = LoginLimits(request, parts, limiter, body.correo, address)
    limits.count()
    checked = check_clave(parts.database, body.correo, body.clave, now)
    quotes(checked.account_id)
    check_second_factor(request, limiter, parts.secrets, db, checked.account_id, body.codigo or "", now)
    limits.forget()
    limits.remember_device(response)
    account, token = log_in(db, checked, body.clave, now, parts.settings.token_minutes)
    if browser.secret is not None:
        browser.set_cookies(response, start_session(db, token, now, parts.settings.session_minutes))
    return reply(user_out(account, token, codes_of_account(db, account.id)))


@operations.post("/auth/logout", "Logout", seed=True, example=answer_example({"sessions_ended": 1}))
def logout(
    db: Db, caller: CurrentCaller, browser: Browser, reply: Reply, response: Response, body: Logout | None = None
) -> "Answer[Left]":
    """Revokes the presented token at once, everywhere. With `all`, every session of the account."""
    if body is not None and body.all:
        ended = revoke_all(db, caller.account_id)
    else:
        revoke_token(db, caller.account_id, caller.token_id)
        ended = 1
    browser.clear_cookies(response)
    return reply(Left(sessions_ended=ended))


@operations.get("/auth/me", "Me", seed=True, example=me_example())
def me(reading: Reading, caller: CurrentCaller, reply: Reply) -> "Answer[Me]":
    """Who the token belongs to."""
    account = read_account(reading, caller.account_id)
    return reply(me_out(account, caller, codes_of_account(reading, account.id)))


class CookieSet(DeferredModel):
    csrf: bool = True


@csrf_operations.get("/csrf-cookie", "CSRF cookie", callers="public", seed=True, example=answer_example({"csrf": True}))
def csrf_cookie(browser: Browser, reply: Reply, response: Response) -> "Answer[CookieSet]":
    """Sets the session cookie and XSRF-TOKEN, for front ends that log in with cookies."""
    browser.set_cookies(response)
    return reply(CookieSet())
