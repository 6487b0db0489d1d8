"""Notifications of the platform: the handshake, the webhook as OpenAPI shows it, an inbox for tests by hand, and a list
of what we did not understand or was not for us."""

import re
from typing import Annotated, Any

from fastapi import Body as JsonBody
from fastapi import Depends, Query
from pydantic import AwareDatetime, Field
from starlette.responses import PlainTextResponse, Response

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import raise_if_faults
from ficha.api.examples import answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.served import Served
from ficha.asgi.threads import Pool
from ficha.channels.errors import BadSignature
from ficha.channels.messages import Incoming, StatusUpdate, UnreadableItem
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, NotFound, Source
from ficha.http.dependencies import Db, Now, Page, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled
from ficha.messaging.incoming_messages import provider_id_of_test
from ficha.messaging.notifications import (
    NotificationState,
    kept_notifications,
    seal_notification,
    state_of_notification,
    store_notifications,
)
from ficha.messaging.tables import Notification

webhook_operations = Operations("messaging", served=Served)
inbox_operations = Operations("messaging")
notification_operations = Operations("messaging", prefix="/notifications")

# Far longer than any the platform sends, and nothing in it that a browser would read as a page.
CHALLENGE = re.compile(r"[!-~]{1,200}")
NOTIFICATION = {
    "field": "messages",
    "value": {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"},
        "contacts": [{"profile": {"name": "Ana Pérez"}, "wa_id": "584125551111"}],
        "messages": [
            {
                "from": "584125551111",
                "id": "wamid.HBgLNTg0MTI1NTUxMTExFQIAEhgU",
                "timestamp": "1794744000",
                "type": "text",
                "text": {"body": "Buenos días"},
            }
        ],
    },
}


class WrongHandshake(FichaError):
    status = 403
    code = "saludo_incorrecto"
    message = "El saludo no corresponde a este webhook."
    source = Source("parameter", "hub.verify_token")


class Received(DeferredModel):
    received: bool = True


class TestReceived(Received):
    is_test: bool = True
    messages: list[str] = Field(
        description="The platform's ids of what came. Each can be looked up under `messages/{id}` a moment later."
    )
    statuses: int = Field(description="How many are news of messages of ours.")
    unreadable: int = Field(description="How many items are not what they should be.")


def raw_body(request: ReadRequest) -> bytes:
    return request.raw_body


@webhook_operations.get(
    "",
    "Webhook handshake",
    callers="public",
    errors=(403,),
    example="1158201444",
    media_type="text/plain",
    response_class=Response,
    pool=Pool.URGENT,
)
def verify_webhook(
    parts: Parts,
    mode: Annotated[str, Query(alias="hub.mode", description="subscribe.", examples=["subscribe"])] = "",
    challenge: Annotated[str, Query(alias="hub.challenge", description="Sent back.", examples=["1158201444"])] = "",
    token: Annotated[
        str, Query(alias="hub.verify_token", description="What we agreed on.", examples=["sandbox-verify-token"])
    ] = "",
) -> PlainTextResponse:
    """The platform asks whether this webhook is ours. The challenge is the whole answer."""
    if not CHALLENGE.fullmatch(challenge):
        raise WrongHandshake
    try:
        return PlainTextResponse(parts.whatsapp.answer_challenge(mode, token, challenge))
    except BadSignature:
        raise WrongHandshake from None


@webhook_operations.post(
    "",
    "Webhook",
    callers="signed",
    seed=True,
    errors=(503,),
    example=answer_example({"received": True}),
    response_model=Answer[Received],
    in_lane=NotFound,
)
def receive_notification(_body: Annotated[dict[str, Any], JsonBody(examples=[NOTIFICATION])]) -> None:
    """Stores a notification, bare or in the platform's envelope, and answers; a job reads it."""


@inbox_operations.post(
    "/inbox",
    "Inbox",
    callers="staff",
    seed=True,
    example=answer_example(
        {
            "received": True,
            "is_test": True,
            "messages": ["test:wamid.HBgLNTg0MTI1NTUxMTExFQIAEhgU"],
            "statuses": 0,
            "unreadable": 0,
        }
    ),
)
def try_notification(
    db: Db,
    _staff: Staff,
    parts: Parts,
    now: Now,
    reply: Reply,
    body: Annotated[bytes, Depends(raw_body)],
    _read: Annotated[dict[str, Any], JsonBody(examples=[NOTIFICATION])],
) -> "Answer[TestReceived]":
    """A notification without a signature, bare or in the platform's envelope. It goes the whole way as a test: stored
    and read like any other, and nobody is answered."""
    events = parts.messenger.parse(body)
    if all(isinstance(event, UnreadableItem) for event in events):
        raise_if_faults([("", "No es una notificación: se espera field y value, o object y entry.")])
    store_notifications(db, [seal_notification(parts.secrets, body, now, is_test=True)])
    return reply(
        TestReceived(
            messages=[provider_id_of_test(event.provider_id) for event in events if isinstance(event, Incoming)],
            statuses=sum(isinstance(event, StatusUpdate) for event in events),
            unreadable=sum(isinstance(event, UnreadableItem) for event in events),
        )
    )


class NotificationAttributes(DeferredModel):
    kind: str | None = Field(
        description="What was not understood: a field of the platform, `unreadable`, `failed`, or `foreign`: "
        "of a number or account that is not ours."
    )
    state: NotificationState
    received_at: Moment
    processed_at: Moment | None
    unreadable: int = Field(description="How many of its items could not be read.")
    is_test: bool


NotificationOut = Resource[NotificationAttributes]
KEPT = resource_example(
    "notification",
    12,
    NotificationAttributes,
    kind="foreign",
    state="kept",
    processed_at="2026-11-15T12:00:01+00:00",
    unreadable=0,
)


@notification_operations.get("", "Notifications", callers="staff", errors=(422,), example=listing_example([KEPT]))
def list_notifications(
    reading: Reading,
    _staff: Staff,
    page: Page,
    kind: Annotated[str | None, Query(max_length=40, description="Only of this kind.")] = None,
    state: Annotated[NotificationState | None, Query(description="Only in this state.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only those that came then or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Only those that came before.")] = None,
) -> "Listing[NotificationOut]":
    """Newest first: those that were kept and not understood, or with `state=waiting` those not processed yet. What they
    say stays sealed."""
    before = page.start(MAX_ID)
    found = kept_notifications(
        reading, before=before, limit=page.limit, kind=kind, state=state, since=since, until=until
    )
    return page.answer(found, _notification_out, lambda notification: notification.id)


def _notification_out(found: Notification) -> NotificationOut:
    shown = filled(NotificationAttributes, found, state=state_of_notification(found))
    return Resource(type="notification", id=found.id, attributes=shown)
