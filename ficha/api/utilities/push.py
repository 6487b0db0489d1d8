"""Notifications on people's own devices: a browser registers, and staff sends one to see that it arrives."""

from typing import Annotated

from fastapi import Query, Response
from pydantic import Field

from ficha.api.bodies import Body
from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.channels.webpush import SenderKey
from ficha.core.deferred_model import DeferredModel
from ficha.devices.devices import (
    SEND_TEST,
    Auth,
    Endpoint,
    P256dh,
    accept_device,
    devices_of,
    keep_lookups,
    people_with_document,
)
from ficha.http.dependencies import CurrentCaller, Db, Located, Now, Parts, Reply, Staff
from ficha.http.envelope import Answer, Moment, Resource
from ficha.http.etags import NOT_MODIFIED, Caching
from ficha.jobs.queue import put

operations = Operations("utilities", prefix="/push")
test_operations = Operations("utilities", prefix="/push")

KEY = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM"
AUTH = "8eDyX_uCN0XRhSbY5hs7Hg"


class DeviceKeys(Body):
    p256dh: P256dh = Field(examples=[KEY])
    auth: Auth = Field(examples=[AUTH])


class NewDevice(Body):
    """As the browser's `PushSubscription.toJSON()` gives it."""

    endpoint: Endpoint = Field(examples=["https://fcm.googleapis.com/fcm/send/dK7mQx:APA91bH"])
    keys: DeviceKeys = Field(examples=[{"p256dh": KEY, "auth": AUTH}])
    expirationTime: float | None = None  # noqa: N815  The browser's own name.


class DeviceAttributes(DeferredModel):
    created_at: Moment


class PublicKey(DeferredModel):
    public_key: str = Field(description="`applicationServerKey` for `pushManager.subscribe`, in base64url.")


class PushTest(DeferredModel):
    devices: int = Field(description="How many get it: none if there is no such person, too.")


@operations.post(
    "/subscriptions",
    "Push subscription",
    callers="bearer",
    status=201,
    example=answer_example({"type": "device", "id": 1, "attributes": {"created_at": "2026-11-15T12:00:00+00:00"}}, 201),
)
def subscribe(
    db: Db, parts: Parts, caller: CurrentCaller, now: Now, reply: Reply, located: Located, body: NewDevice
) -> "Answer[Resource[DeviceAttributes]]":
    """Registers this device: it gets the alerts of whoever chose the account's person as a contact, on proven phone or
    correo. The same device again only changes hands."""
    located("/push/subscriptions")
    kept = accept_device(
        db, parts.secrets, parts.settings, caller.account_id, body.endpoint, body.keys.p256dh, body.keys.auth, now
    )
    return reply(Resource(type="device", id=kept.id, attributes=DeviceAttributes(created_at=kept.created_at)))


@operations.get(
    "/key",
    "Push key",
    callers="public",
    progress="Developing",
    example=answer_example({"public_key": KEY}),
    responses=NOT_MODIFIED,
    response_model=Answer[PublicKey],
)
def public_key(parts: Parts, reply: Reply, caching: Caching) -> Response:
    """Our public key, which a browser needs to subscribe."""
    return caching.answer(reply(PublicKey(public_key=SenderKey(parts.secrets).public)))


@test_operations.post(
    "/test",
    "Push test",
    callers="staff",
    seed=True,
    errors=(422,),
    example=answer_example({"devices": 1}),
    pool=Pool.LONG,
)
def push_test(
    db: Db,
    _staff: Staff,
    parts: Parts,
    reply: Reply,
    identification_id: Annotated[
        str, Query(pattern=r"^[0-9]{4,20}$", description="A document number, digits only.", examples=["31555777"])
    ],
) -> "Answer[PushTest]":
    """A notification to every device of the person with that document number. It says nothing about anybody."""
    with parts.database.reading() as tx:
        people = people_with_document(tx, parts.keyring, parts.secrets, identification_id)
    if people.unknown:
        keep_lookups(db, people.unknown)
    found = devices_of(db, people.accounts)
    for each in found:
        put(db, SEND_TEST, {"subscription_id": each.id}, key=f"{SEND_TEST}:{each.id}")
    return reply(PushTest(devices=len(found)))
