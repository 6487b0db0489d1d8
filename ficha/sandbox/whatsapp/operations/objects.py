"""Operations on what has no more than an id in its path: a number, an account, a template, a flow or a file."""

from collections.abc import Awaitable

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import no_such_object
from ficha.sandbox.whatsapp.operations import flows, numbers
from ficha.sandbox.whatsapp.operations.call import Call
from ficha.sandbox.whatsapp.responses import success_response
from ficha.sandbox.whatsapp.tokens import MESSAGING


def get_object(call: Call, object_id: str) -> HttpResponse:
    platform, fields = call.platform, call.request.query.get("fields")
    if (number := platform.numbers.get(object_id)) is not None:
        call.check_management()
        return json_response(number.description(fields))
    if object_id == platform.config.business_id:
        call.check_management()
        return json_response({"id": object_id, "name": platform.config.verified_name, "timezone_id": "1"})
    if (template := platform.templates.with_id(object_id)) is not None:
        call.check_management()
        return json_response(template.description)
    if (flow := platform.flows.known.get(object_id)) is not None:
        return flows.get_flow(call, flow)
    call.token(MESSAGING)
    file = platform.media.find(object_id, call.request.query.get("phone_number_id"), platform.now())
    if file is None:
        raise no_such_object(object_id, "GET")
    return json_response(platform.media.description(file, platform.url, platform.now()))


def change_object(call: Call, object_id: str) -> HttpResponse | Awaitable[HttpResponse]:
    if (flow := call.platform.flows.known.get(object_id)) is not None:
        return flows.change_flow(call, flow)
    return numbers.change_number(call, object_id)


def delete_object(call: Call, object_id: str) -> HttpResponse:
    platform = call.platform
    if (flow := platform.flows.known.get(object_id)) is not None:
        return flows.delete_flow(call, flow)
    call.token(MESSAGING)
    file = platform.media.find(object_id, call.request.query.get("phone_number_id"), platform.now())
    if file is None:
        raise no_such_object(object_id, "DELETE")
    del platform.media.files[object_id]
    return success_response()
