"""Notifications of the account: turned on and off on this device, and the list of all. A script has to ask the browser
for them; turning one off in the list needs none."""

from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from ficha.channels.webpush import MOST_LETTERS, SenderKey
from ficha.devices.devices import (
    Auth,
    BadPushKeys,
    Endpoint,
    P256dh,
    UnknownPushService,
    accept_device,
    devices_of,
    remove_device,
    remove_endpoint,
)
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Reading
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.lists import row_number
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.account.push_phrases import PHRASES
from ficha.web.portal.told_times import moments_of

routes = signed_in_routes("/app/mi-cuenta/avisos")

DONE = ("activado", "quitado", "no")


class GivenDevice(BaseModel):
    endpoint: Endpoint
    p256dh: P256dh
    auth: Auth


@routes.page("")
def devices(request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, now: Now) -> Response:
    done = request.query_params.get("hecho", "")
    return show(
        request,
        "portal/account/push.html",
        PHRASES,
        devices=devices_of(reading, [caller.account_id]),
        told=moments_of(request, reading, caller.account_id, now),
        public_key=SenderKey(parts.secrets).public,
        done=done if done in DONE else "",
    )


@routes.post("")
def change_devices(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, now: Now, form: PostedForm
) -> Response:
    do, _, which = form.get("do", "").partition(":")
    done = "quitado"
    if do == "remove":
        remove_device(db, caller.account_id, row_number(which))
    elif do == "off":
        remove_endpoint(db, parts.secrets, caller.account_id, form.get("endpoint", "")[:MOST_LETTERS])
    else:
        done = "activado"
        try:
            given = GivenDevice.model_validate(form)
            keys = given.endpoint, given.p256dh, given.auth
            accept_device(db, parts.secrets, parts.settings, caller.account_id, *keys, now)
        except (ValidationError, UnknownPushService, BadPushKeys):
            done = "no"
    return go_to(request, f"/app/mi-cuenta/avisos?hecho={done}")
