"""Our own account on the platform: its token, its number, and verifying the number."""

from typing import Annotated, Literal

from fastapi import Request
from pydantic import Field, StringConstraints

from ficha.api.bodies import Body
from ficha.api.examples import answer_example, attributes_example
from ficha.api.messaging.platform_calls import PLATFORM_ERRORS, platform_call
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.http.dependencies import Admin, Parts, Reply, Staff
from ficha.http.envelope import Answer, Moment, filled
from ficha.messaging.platform_account import facts_about, number_facts, word_in

operations = Operations("messaging", callers="staff")


class TokenState(DeferredModel):
    is_valid: bool
    type: str | None
    app_id: str | None
    application: str | None
    issued_at: Moment | None
    expires_at: Moment | None = Field(description="Null for a token that does not expire.")
    scopes: list[str]


class NumberState(DeferredModel):
    phone_number_id: str
    display_phone_number: str | None
    verified_name: str | None
    status: str | None = Field(description="CONNECTED when it can send.")
    quality_rating: str | None
    code_verification_status: str | None
    name_status: str | None
    has_profile_picture: bool
    quality_event: str | None = Field(
        description="What the platform last told of the number's quality: FLAGGED, UNFLAGGED, UPGRADE or DOWNGRADE."
    )
    messaging_limit: str | None = Field(description="How many people it may begin to write to in a day: TIER_1K.")
    account_event: str | None = Field(description="What the platform last told of the account.")
    api_version: str = Field(description="The platform's, as we call it.")
    is_sandbox: bool = Field(description="Whether the platform is our own sandbox.")


class Asked(DeferredModel):
    requested: bool = True


class Proved(DeferredModel):
    verified: bool = True


class CodeRequest(Body):
    code_method: Literal["SMS", "VOICE"] = Field(examples=["SMS"])
    language: str = Field(pattern=r"^[a-z]{2,3}(_[A-Z]{2})?$", examples=["es_ES"])


class PlatformCode(Body):
    code: Annotated[str, StringConstraints(pattern=r"^[0-9]{6}$")] = Field(examples=["402917"])


@operations.get(
    "/oauth",
    "oauth",
    seed=True,
    errors=PLATFORM_ERRORS,
    example=answer_example(
        attributes_example(
            TokenState,
            is_valid=True,
            type="SYSTEM_USER",
            app_id="634974688087057",
            application="Ficha",
            issued_at="2026-11-01T12:00:00+00:00",
            scopes=["whatsapp_business_management", "whatsapp_business_messaging"],
        )
    ),
    pool=Pool.OUTSIDE,
)
def oauth(request: Request, _staff: Staff, parts: Parts, reply: Reply) -> "Answer[TokenState]":
    """What the platform says of our token; the token itself is never shown."""
    with platform_call(request):
        found = parts.whatsapp.account.debug_token()
    return reply(filled(TokenState, found, scopes=list(found.scopes)))


@operations.get(
    "/test-connection",
    "Test Connection",
    seed=True,
    errors=PLATFORM_ERRORS,
    example=answer_example(
        attributes_example(
            NumberState,
            phone_number_id="106540352242922",
            display_phone_number="+1 555-078-3881",
            verified_name="Ficha",
            status="CONNECTED",
            quality_rating="GREEN",
            code_verification_status="VERIFIED",
            name_status="APPROVED",
            api_version="v23.0",
            is_sandbox=True,
        )
    ),
    pool=Pool.OUTSIDE,
)
def test_connection(request: Request, _staff: Staff, parts: Parts, reply: Reply) -> "Answer[NumberState]":
    """The business number as the platform sees it: address, token and number must be right for an answer."""
    with platform_call(request):
        number = parts.whatsapp.account.number()
        profile = parts.whatsapp.account.profile()
    with parts.database.reading() as tx:
        told = number_facts(tx, number.display_phone_number or "")
        account = facts_about(tx, "account:account_update")
    return reply(
        filled(
            NumberState,
            number,
            phone_number_id=number.number_id,
            has_profile_picture=profile.profile_picture_url is not None,
            quality_event=word_in(told, "event"),
            messaging_limit=word_in(told, "current_limit"),
            account_event=word_in(next(iter(account.values()), {}), "event"),
            api_version=parts.settings.whatsapp_version,
            is_sandbox=parts.settings.uses_sandbox,
        )
    )


@operations.post(
    "/phone/request-code",
    "Platform phone: request code",
    callers="admin",
    seed="Phone verification",
    errors=PLATFORM_ERRORS,
    example=answer_example({"requested": True}),
    pool=Pool.OUTSIDE,
)
def request_code(request: Request, _admin: Admin, parts: Parts, reply: Reply, body: CodeRequest) -> "Answer[Asked]":
    """The platform calls the business number, or writes to it, with six digits."""
    with platform_call(request):
        parts.whatsapp.account.request_code(body.code_method, body.language)
    return reply(Asked())


@operations.post(
    "/phone/verify-code",
    "Platform phone: verify code",
    callers="admin",
    seed="Phone verification",
    errors=PLATFORM_ERRORS,
    example=answer_example({"verified": True}),
    example_once=True,
    pool=Pool.OUTSIDE,
)
def verify_code(request: Request, _admin: Admin, parts: Parts, reply: Reply, body: PlatformCode) -> "Answer[Proved]":
    """Proves to the platform that the business number is ours."""
    with platform_call(request):
        parts.whatsapp.account.verify_code(body.code)
    return reply(Proved())
