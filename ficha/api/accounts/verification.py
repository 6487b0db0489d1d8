"""Verifying a correo, and a phone by WhatsApp or by mail where that cannot deliver; a forgotten clave; a test mail."""

from typing import Annotated, Literal

from fastapi import Request, Response
from pydantic import Field, StringConstraints

from ficha.accounts.account_changes import ask_for_new_clave, reset_clave
from ficha.accounts.accounts import Account
from ficha.accounts.jobs import SEND_CODE, SEND_TEST
from ficha.accounts.login import hash_clave
from ficha.accounts.one_time_codes import CODE_DIGITS, Purpose, account_of_link, verify_correo
from ficha.api.bodies import Body
from ficha.api.examples import DEMO_CLAVE, DEMO_CORREO, DEMO_DIGITS, DEMO_NEW_CLAVE, DEMO_NURSE, answer_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.core.phones import one_spelling
from ficha.core.text_types import Clave, Correo, correo_key
from ficha.http.dependencies import Address, Admin, CurrentCaller, Db, Limiter, Now, Parts, Reply, limit_by_address
from ficha.http.envelope import Answer
from ficha.http.limits import RateLimit
from ficha.http.login_limits import LoginLimits
from ficha.jobs.queue import put
from ficha.messaging.codes_and_invitations import SEND_TO_PHONE, verify_phone

operations = Operations("accounts", callers="bearer")


class Queued(DeferredModel):
    state: Literal["queued"] = "queued"


class Verified(DeferredModel):
    correo: str
    correo_verificado: bool = True


class VerifiedPhone(DeferredModel):
    telefono: str = Field(description="With its country prefix.")
    telefono_verificado: bool = True


class Changed(DeferredModel):
    changed: bool = True


class TestMail(DeferredModel):
    state: Literal["queued"] = "queued"
    via: str = Field(description="smtp, or sandbox when no SMTP server is configured.")


class Code(Body):
    codigo: Annotated[str, StringConstraints(pattern=f"^[0-9]{{{CODE_DIGITS}}}$")] = Field(examples=[DEMO_DIGITS])


class Forgotten(Body):
    correo: Correo = Field(examples=[DEMO_CORREO])


class Reset(Body):
    token: str = Field(
        min_length=1, max_length=100, description="From the link in the mail.", examples=[DEMO_NEW_CLAVE]
    )
    clave: Clave = Field(description="The new clave, 10 to 128 characters.", examples=[DEMO_CLAVE])


QUEUED_EXAMPLE = answer_example({"state": "queued"})


@operations.post(
    "/auth/phone/request-code",
    "Phone verification: request",
    seed="Phone verification",
    errors=(422,),
    example=QUEUED_EXAMPLE,
)
def request_phone_code(
    db: Db, caller: CurrentCaller, limiter: Limiter, request: Request, reply: Reply
) -> "Answer[Queued]":
    """Sends six digits to the account's phone. Asking again replaces them."""
    account = db.orm.get_one(Account, caller.account_id)
    # By number: one phone may stand in many accounts, and nobody wants it to ring for all of them.
    limiter.hit(request, RateLimit.CODE, f"phone:{one_spelling(account.telefono_e164 or str(account.id))}")
    put(db, SEND_TO_PHONE, {"account_id": caller.account_id})
    return reply(Queued())


@operations.post(
    "/auth/phone/verify-code",
    "Phone verification: verify",
    seed="Phone verification",
    example=answer_example({"telefono": "+584125551111", "telefono_verificado": True}),
    example_caller=DEMO_NURSE,
    example_once=True,
)
def verify_phone_code(
    db: Db, caller: CurrentCaller, parts: Parts, now: Now, reply: Reply, body: Code
) -> "Answer[VerifiedPhone]":
    """Proves that the person answers her phone. Five tries for each code."""
    account = verify_phone(db, parts.secrets, caller.account_id, body.codigo, now)
    return reply(VerifiedPhone(telefono=account.telefono_e164 or f"{account.cod_telefono}{account.telefono}"))


@operations.post(
    "/email/request-code", "Email operations: request", seed="Email operations", errors=(422,), example=QUEUED_EXAMPLE
)
def request_code(db: Db, caller: CurrentCaller, limiter: Limiter, request: Request, reply: Reply) -> "Answer[Queued]":
    """Sends six digits to the account's correo. Asking again replaces them."""
    limiter.hit_code(request, caller.account_id, db.orm.get_one(Account, caller.account_id).correo)
    put(db, SEND_CODE, {"account_id": caller.account_id})
    return reply(Queued())


@operations.post(
    "/email/verify-code",
    "Email operations: verify",
    seed="Email operations",
    example=answer_example({"correo": "maria@ejemplo.com", "correo_verificado": True}),
    example_caller=DEMO_NURSE,
    example_once=True,
)
def verify_code(db: Db, caller: CurrentCaller, parts: Parts, now: Now, reply: Reply, body: Code) -> "Answer[Verified]":
    """Proves that the person reads her correo. Five tries for each code."""
    return reply(Verified(correo=verify_correo(db, parts.secrets, caller.account_id, body.codigo, now).correo))


@operations.post(
    "/email/test",
    "Email operations: test",
    callers="admin",
    seed="Email operations",
    errors=(422,),
    example=answer_example({"state": "queued", "via": "smtp"}),
)
def send_test(db: Db, admin: Admin, parts: Parts, reply: Reply) -> "Answer[TestMail]":
    """Sends a mail to the administrator's own correo."""
    put(db, SEND_TEST, {"account_id": admin.account_id})
    return reply(TestMail(via=parts.mailer.name))


@operations.post(
    "/auth/password/forgot",
    "Forgot clave",
    callers="public",
    example=QUEUED_EXAMPLE,
    dependencies=[limit_by_address(RateLimit.LOGIN)],
)
def forgot(db: Db, limiter: Limiter, request: Request, reply: Reply, body: Forgotten) -> "Answer[Queued]":
    """Sends a link to choose a new clave. The answer is the same whether or not the correo has an account."""
    limiter.hit(request, RateLimit.CODE, f"correo:{correo_key(body.correo)}")
    ask_for_new_clave(db, body.correo)
    return reply(Queued())


@operations.post(
    "/auth/password/reset",
    "Reset clave",
    callers="public",
    example=answer_example({"changed": True}),
    example_once=True,
    dependencies=[limit_by_address(RateLimit.LOGIN)],
    pool=Pool.CLAVES,
)
def reset(
    db: Db,
    parts: Parts,
    now: Now,
    limiter: Limiter,
    address: Address,
    request: Request,
    response: Response,
    reply: Reply,
    body: Reset,
) -> "Answer[Changed]":
    """Sets a new clave and ends every session of the account. From here one can log in at once, whoever else is
    guessing meanwhile."""
    with parts.database.reading() as tx:
        account_of_link(tx, parts.secrets, Purpose.CLAVE, body.token, now)  # Before the slow hash.
    correo = reset_clave(db, parts.secrets, body.token, hash_clave(body.clave), now)
    limits = LoginLimits(request, parts, limiter, correo, address)
    limits.forget()
    limits.remember_device(response)
    return reply(Changed())
