"""Verifying a phone: six digits by WhatsApp, by mail when WhatsApp cannot deliver them."""

from fastapi import Request
from pydantic import Field

from ficha.accounts.accounts import Account
from ficha.api.accounts.email import QUEUED_EXAMPLE, Code, Queued
from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.dependencies import CurrentCaller, Db, Limiter, Now, Parts, Reply
from ficha.http.envelope import Answer
from ficha.http.limits import RateLimit
from ficha.jobs.queue import put
from ficha.messaging.codes_and_invitations import SEND_TO_PHONE, verify_phone

operations = Operations("accounts", prefix="/auth/phone")


class VerifiedPhone(DeferredModel):
    telefono: str = Field(description="With its country prefix.")
    telefono_verificado: bool = True


@operations.post(
    "/request-code",
    "Phone verification: request",
    door="bearer",
    seed="Phone verification",
    errors=(409, 422),
    example=QUEUED_EXAMPLE,
)
def request_code(db: Db, caller: CurrentCaller, limiter: Limiter, request: Request, reply: Reply) -> "Answer[Queued]":
    """Sends six digits to the account's phone. Asking again replaces them."""
    account = db.orm.get_one(Account, caller.account_id)
    # By number: one phone may stand in many accounts, and nobody wants it to ring for all of them.
    limiter.hit(request, RateLimit.CODE, f"phone:{account.telefono_e164 or account.id}")
    put(db, SEND_TO_PHONE, {"account_id": caller.account_id})
    return reply(Queued())


@operations.post(
    "/verify-code",
    "Phone verification: verify",
    door="bearer",
    seed="Phone verification",
    errors=(409, 415, 422),
    example=answer_example({"telefono": "+584125551111", "telefono_verificado": True}),
)
def verify_code(
    db: Db, caller: CurrentCaller, parts: Parts, now: Now, reply: Reply, body: Code
) -> "Answer[VerifiedPhone]":
    """Proves that the person answers her phone. Five tries for each code."""
    account = verify_phone(db, parts.secrets, caller.account_id, body.codigo, now)
    return reply(VerifiedPhone(telefono=account.telefono_e164 or f"{account.cod_telefono}{account.telefono}"))
