"""Webhooks out: the addresses that staff or an institution want events told to, and what was delivered to each."""

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import ConfigDict, Field

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import Body
from ficha.api.examples import NOW_EXAMPLE, answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.dependencies import Db, Located, Now, Page, Parts, Reading, Reply, StaffOrInstitution
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled
from ficha.webhooks.deliveries import DeliveryState, WebhookDelivery, deliveries_of, replay
from ficha.webhooks.webhooks import (
    LONGEST_URL,
    WEBHOOK_KINDS,
    Webhook,
    change_webhook,
    check_address,
    delete_webhook,
    institution_id_of,
    register_webhook,
    rotate_secret,
    webhook_with,
    webhooks_of,
)

operations = Operations("administration", prefix="/webhooks", callers="staff or institution", progress="Developing")

URL, CHOSEN = "https://integrador.example/ficha", ("emergency.changed", "emergency.opened")
WebhookId = Annotated[int, Path(alias="id", ge=1, le=MAX_ID, description="The webhook's number.", examples=[1])]
# The demo's second: the examples that come later need the first.
SpareId = Annotated[int, Path(alias="id", ge=1, le=MAX_ID, description="The webhook's number.", examples=[2])]
# What the examples register, beside the demo's.
DeliveryId = Annotated[int, Path(alias="delivery", ge=1, le=MAX_ID, description="The delivery's number.", examples=[1])]
Kinds = Annotated[
    list[str],
    Field(
        min_length=1,
        max_length=len(WEBHOOK_KINDS),
        description=f"Of {', '.join(WEBHOOK_KINDS)}; docs/webhooks.md says which for whom.",
        examples=[[*CHOSEN]],
    ),
]


class NewWebhook(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"url": URL, "kinds": [*CHOSEN]}]})

    url: str = Field(
        min_length=1,
        max_length=LONGEST_URL,
        description="An https address on the internet.",
        examples=[URL],
    )
    kinds: Kinds


class WebhookChange(Body):
    active: bool | None = Field(None, description="Whether it is told anything.", examples=[True])
    kinds: Kinds | None = None


class WebhookAttributes(DeferredModel):
    url: str
    kinds: list[str]
    active: bool
    created_at: Moment
    rests_until: Moment | None = Field(description="It failed again and again, and is left alone until then.")
    old_secret_until: Moment | None = Field(description="Until then the secret before the last rotation signs, too.")
    secret: str | None = Field(description="Told once, when it is made; null ever after.")


class DeliveryAttributes(DeferredModel):
    kind: str
    at: Moment = Field(description="When the event happened.")
    record: str | None = Field(description="The record, by the name that the receiver has for it.")
    state: DeliveryState = Field(description="pending, delivered, or given_up after three days.")
    attempts: int
    next_at: Moment | None = Field(description="When it is tried next; null if it is not.")
    called_at: Moment | None = Field(description="When it was tried last.")
    status: int | None = Field(description="What the receiver answered last.")
    fault: str | None = Field(description="timeout, no_connection or private_address, if it did not answer.")
    milliseconds: int | None = Field(description="How long that took.")


class WebhookDeleted(DeferredModel):
    deleted: bool = True


WebhookOut = Resource[WebhookAttributes]
DeliveryOut = Resource[DeliveryAttributes]
TOLD = {
    "url": URL,
    "kinds": [*CHOSEN],
    "active": True,
    "created_at": NOW_EXAMPLE,
}
EXAMPLE = resource_example("webhook", 1, WebhookAttributes, **TOLD)
WITH_SECRET = resource_example("webhook", 1, WebhookAttributes, **TOLD, secret="whsec_…")  # noqa: S106
DELIVERY = resource_example(
    "webhook_delivery",
    1,
    DeliveryAttributes,
    kind="emergency.opened",
    at=NOW_EXAMPLE,
    record="W4T9KX",
    state="delivered",
    attempts=1,
    called_at=NOW_EXAMPLE,
    status=200,
    milliseconds=84,
)


@operations.post("", "Register event webhook", status=201, errors=(404, 409), example=answer_example(WITH_SECRET, 201))
def register(
    db: Db, parts: Parts, caller: StaffOrInstitution, now: Now, reply: Reply, located: Located, body: NewWebhook
) -> "Answer[WebhookOut]":
    """Events of these kinds are told to the address from now on, signed with the secret of this answer, which is told
    only here. An institution is told of records whose owners let it see them at that moment; nothing clinical is ever
    told."""
    check_address(body.url, parts.settings)  # Before the transaction begins: it asks the name server.
    institution_id = institution_id_of(db, caller)
    actor = caller.actor
    hook, secret = register_webhook(db, parts.secrets, institution_id, body.url, body.kinds, actor, now)
    located(f"/webhooks/{hook.id}")
    return reply(_webhook_out(hook, secret))


@operations.get("", "Event webhooks", errors=(404, 422), example=listing_example([EXAMPLE]))
def list_webhooks(reading: Reading, caller: StaffOrInstitution, page: Page) -> "Listing[WebhookOut]":
    """Those of the institution, or of our own staff, by their number."""
    found = webhooks_of(reading, institution_id_of(reading, caller), after=page.start(0), limit=page.limit)
    return page.answer(found, _webhook_out, lambda hook: hook.id)


@operations.get("/{id}", "Event webhook", errors=(404, 422), example=answer_example(EXAMPLE))
def read_webhook(
    reading: Reading, caller: StaffOrInstitution, reply: Reply, webhook_id: WebhookId
) -> "Answer[WebhookOut]":
    """One, without its secret."""
    return reply(_webhook_out(webhook_with(reading, institution_id_of(reading, caller), webhook_id)))


@operations.patch("/{id}", "Change event webhook", errors=(404,), example=answer_example(EXAMPLE))
def change(
    db: Db, caller: StaffOrInstitution, now: Now, reply: Reply, webhook_id: WebhookId, body: WebhookChange
) -> "Answer[WebhookOut]":
    """Switches it on or off, or chooses other kinds. What happens while it is off is never told."""
    hook = webhook_with(db, institution_id_of(db, caller), webhook_id, locks=True)
    change_webhook(db, hook, caller.actor, now, is_active=body.active, kinds=body.kinds)
    return reply(_webhook_out(hook))


@operations.post(
    "/{id}/secret",
    "Rotate event webhook secret",
    status=201,
    errors=(404, 422),
    example=answer_example(WITH_SECRET, 201),
)
def rotate(
    db: Db, parts: Parts, caller: StaffOrInstitution, now: Now, reply: Reply, located: Located, webhook_id: WebhookId
) -> "Answer[WebhookOut]":
    """A new secret, told only here. For a day each call carries the signatures of both."""
    hook = webhook_with(db, institution_id_of(db, caller), webhook_id, locks=True)
    located(f"/webhooks/{webhook_id}")
    secret = rotate_secret(db, parts.secrets, hook, caller.actor, now)
    return reply(_webhook_out(hook, secret))


@operations.get("/{id}/deliveries", "Event webhook deliveries", errors=(404, 422), example=listing_example([DELIVERY]))
def list_deliveries(
    reading: Reading,
    caller: StaffOrInstitution,
    page: Page,
    webhook_id: WebhookId,
    state: Annotated[
        Literal["pending", "delivered", "given_up"] | None, Query(description="Only those in this state.")
    ] = None,
) -> "Listing[DeliveryOut]":
    """What was told to it in the last two weeks or waits for it, newest first, and how the last call ended."""
    hook = webhook_with(reading, institution_id_of(reading, caller), webhook_id)
    found = deliveries_of(
        reading, hook, before=page.start(MAX_ID), limit=page.limit, state=DeliveryState(state) if state else None
    )
    return page.answer(found, _delivery_out, lambda delivery: delivery.id)


@operations.post(
    "/{id}/deliveries/{delivery}/replay",
    "Replay event webhook delivery",
    status=202,
    errors=(404, 422),
    example=answer_example(DELIVERY | {"attributes": {**DELIVERY["attributes"], "state": "pending"}}, 202),
)
def replay_delivery(
    db: Db, caller: StaffOrInstitution, reply: Reply, webhook_id: WebhookId, delivery_id: DeliveryId
) -> "Answer[DeliveryOut]":
    """Tells it again, under the same id, whether it was delivered or given up."""
    hook = webhook_with(db, institution_id_of(db, caller), webhook_id, locks=True)
    return reply(_delivery_out(replay(db, hook, delivery_id)))


@operations.delete(
    "/{id}",
    "Delete event webhook",
    errors=(404, 419, 422),
    example=answer_example({"deleted": True}),
    example_once=True,
)
def delete(db: Db, caller: StaffOrInstitution, now: Now, reply: Reply, webhook_id: SpareId) -> "Answer[WebhookDeleted]":
    """With its deliveries; what waits is not told any more."""
    hook = webhook_with(db, institution_id_of(db, caller), webhook_id, locks=True)
    delete_webhook(db, hook, caller.actor, now)
    return reply(WebhookDeleted())


def _webhook_out(hook: Webhook, secret: str | None = None) -> WebhookOut:
    attributes = filled(
        WebhookAttributes, hook, active=hook.is_active, old_secret_until=hook.before_until, secret=secret
    )
    return Resource(type="webhook", id=hook.id, attributes=attributes)


def _delivery_out(delivery: WebhookDelivery) -> DeliveryOut:
    waits = delivery.state == DeliveryState.PENDING
    next_at = delivery.next_at if waits else None
    attributes = filled(
        DeliveryAttributes,
        delivery,
        record=delivery.reference,
        state=DeliveryState(delivery.state),
        next_at=next_at,
    )
    return Resource(type="webhook_delivery", id=delivery.id, attributes=attributes)
