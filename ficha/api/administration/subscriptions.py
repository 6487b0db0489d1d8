"""Subscriptions: the plans that there are, an owner asks for one and cancels, and the signed notification of a payment
activates it."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import Field, ValidationError
from starlette.responses import Response

from ficha.administration.payments import PaidPeriods, take_payment
from ficha.administration.plans import BASE, PLANS, SubscriptionPlan
from ficha.administration.subscriptions import (
    SUBSCRIPTIONS,
    ChangedSubscription,
    change_own,
    subscribe,
    subscription_of,
)
from ficha.api.administration.resources import ResourceOperations
from ficha.api.bodies import Body
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.faults import fields_error
from ficha.asgi.json_bodies import parse_json
from ficha.asgi.served import Served
from ficha.channels.chatwoot.client import verify
from ficha.channels.errors import BadSignature, MissingSignature
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Source
from ficha.core.log import log
from ficha.core.text_types import Keyword
from ficha.http.dependencies import CurrentCaller, Db, Located, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource
from ficha.http.etags import NOT_MODIFIED, Caching

operations = Operations("administration", prefix="/subscription")
SUBSCRIPTION = ResourceOperations(SUBSCRIPTIONS, "subscription", 1)


class AllowedAmounts(DeferredModel):
    records: int = Field(description="Records that one account opens.")
    stickers: int = Field(description="Live stickers of one record.")
    people: int = Field(description="Who may open one record besides its owner, invitations included.")


class PlanAttributes(DeferredModel):
    title: dict[str, str] = Field(description="By language.")
    about: dict[str, str] = Field(description="By language.")
    price: dict[str, str] = Field(description="For people to read: nothing is charged here.")
    trial_days: int = Field(description="Once for each account; 0 where it begins when it is paid for.")
    period_days: int = Field(description="How long one payment lasts; 0 for what needs none.")
    allows: AllowedAmounts = Field(description="What may be made anew. What there is stays, and is never limited.")
    can_be_asked_for: bool = Field(description="False for what every account has anyway.")


PlanOut = Resource[PlanAttributes]


def _plan(plan: SubscriptionPlan) -> dict[str, Any]:
    attributes: dict[str, Any] = {name: getattr(plan, name).as_json() for name in ("title", "about", "price")}
    attributes |= {"trial_days": plan.trial_days, "period_days": plan.period_days}
    attributes |= {"allows": plan.allows._asdict(), "can_be_asked_for": plan.name in PLANS}
    return {"type": "plan", "id": plan.name, "attributes": attributes}


@operations.get(
    "/plans",
    "Subscription plans",
    callers="public",
    progress="Developing",
    errors=(422,),
    example=listing_example([_plan(BASE), _plan(PLANS["familiar"])]),
    responses=NOT_MODIFIED,
    response_model=Listing[PlanOut],
)
def list_plans(page: Page, caching: Caching) -> Response:
    """What there is, and what each plan allows; what every account has without one comes first."""
    numbered = list(enumerate((BASE, *PLANS.values()), 1))
    return caching.answer(page.part(numbered, lambda one: PlanOut.model_validate(_plan(one[1])), lambda one: one[0]))


class NewSubscription(Body):
    plan: Keyword = Field("personal", description="The name of the plan.", examples=["familiar"])


def _example(state: str, ends_at: str | None = None, asked_plan: str | None = None) -> dict[str, Any]:
    told = {"plan": "familiar", "asked_plan": asked_plan, "state": state, "ends_at": ends_at}
    return {**SUBSCRIPTION.example, "attributes": {**SUBSCRIPTION.example["attributes"], **told}}


@operations.post(
    "",
    "Subscribe",
    callers="bearer",
    seed="Subscribe",
    status=201,
    errors=(409, 415, 422),
    example=answer_example(_example("requested"), 201),
    example_once=True,
    response_model=SUBSCRIPTION.answer,
)
def begin(
    db: Db, caller: CurrentCaller, now: Now, reply: Reply, located: Located, body: NewSubscription
) -> Answer[Any]:
    """Asks for a plan: `trial` where it has one and the account had none before, else `requested` until it is paid for
    or staff activates it. Nothing is charged here."""
    located("/subscription")
    begun = subscribe(db, caller.account_id, body.plan, now)
    return reply(SUBSCRIPTION.resource_out(begun, state=begun.state_at(now)))


@operations.get(
    "",
    "Subscription",
    callers="bearer",
    seed="Subscription",
    errors=(404,),
    example=answer_example(_example("active", "2026-12-15T12:00:00+00:00")),
    response_model=SUBSCRIPTION.answer,
)
def read(reading: Reading, caller: CurrentCaller, now: Now, reply: Reply) -> Answer[Any]:
    """The caller's own; 404 if there was never one."""
    found = subscription_of(reading, caller.account_id)
    return reply(SUBSCRIPTION.resource_out(found, state=found.state_at(now)))


@operations.patch(
    "",
    "Change subscription",
    callers="bearer",
    seed="Change subscription",
    errors=(403, 404, 409, 415, 422),
    example=answer_example(_example("canceled", "2026-12-15T12:00:00+00:00")),
    response_model=SUBSCRIPTION.answer,
)
def change(db: Db, caller: CurrentCaller, now: Now, reply: Reply, body: ChangedSubscription) -> Answer[Any]:
    """The owner cancels with `canceled`, and what was paid lasts to its end; or she asks for another `plan`, which
    counts once it is paid for (`asked_plan`). Nobody activates her own: 403. Any other step is 409."""
    changed = change_own(db, caller.account_id, now, state=body.state, plan=body.plan)
    return reply(SUBSCRIPTION.resource_out(changed, state=changed.state_at(now)))


payment_operations = Operations("administration", served=Served, progress="Developing")
SIGNATURE, TIMESTAMP = "x-payment-signature", "x-payment-timestamp"


class PaymentUnsigned(FichaError):
    """No signature, a wrong one, and an old one look the same."""

    status = 401
    code = "firma_de_pago_incorrecta"
    message = "Falta la firma del aviso de pago, no corresponde a lo que llegó, o es demasiado antigua."
    source = Source("header", "X-Payment-Signature")


class PaymentNotice(Body):
    id: str = Field(
        pattern=r"^[!-~]{1,100}$", description="Of the payment: it counts once.", examples=["pago-2026-000123"]
    )
    subscription_id: int = Field(ge=1, le=2**63 - 1, description="The `id` of the subscription.", examples=[2])
    plan: Keyword = Field(description="What was paid for.", examples=["familiar"])
    periods: int = Field(1, ge=1, le=24, description="How many periods of the plan.", examples=[1])


PAID = {"id": "pago-2026-000123", "subscription_id": 2, "plan": "familiar", "periods": 1}


class PaymentHeard(DeferredModel):
    received: bool = True


def signed_payment(request: ReadRequest, parts: Parts, now: Now) -> PaymentNotice:
    """Raises PaymentUnsigned, or InvalidFields and NotJson for what was signed and is no notification."""
    secret = parts.settings.payment_key
    if not secret:
        raise PaymentUnsigned
    try:
        verify(secret, request.headers.get(SIGNATURE), request.headers.get(TIMESTAMP), request.raw_body, now)
    except (MissingSignature, BadSignature):
        raise PaymentUnsigned from None
    try:
        return PaymentNotice.model_validate(parse_json(request.raw_body))
    except ValidationError as error:
        raise fields_error([{**fault, "loc": ("body", *fault["loc"])} for fault in error.errors()]) from None


@payment_operations.post(
    "/webhook/payments",
    "Payment webhook",
    callers="signed",
    errors=(422,),
    credentials=("payment_signature",),
    body={"application/json": PaymentNotice.model_json_schema() | {"examples": [PAID]}},
    example=answer_example({"received": True}),
)
def receive_payment(
    parts: Parts, now: Now, reply: Reply, notice: Annotated[PaymentNotice, Depends(signed_payment)]
) -> "Answer[PaymentHeard]":
    """A payment, signed by whoever takes the money: the subscription is active for what was paid. Told again it changes
    nothing. One for a subscription or a plan that nobody knows is noted, and changes nothing either."""
    paid = PaidPeriods(notice.id, notice.subscription_id, notice.plan, notice.periods)
    with parts.database.writing() as tx:
        is_applied = take_payment(tx, paid, now)
    if not is_applied:
        log().warning("payment.without_effect")
    return reply(PaymentHeard())
