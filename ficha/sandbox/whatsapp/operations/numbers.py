"""Operations on the business's numbers and their profiles."""

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import invalid_parameter
from ficha.sandbox.whatsapp.numbers import CATALOG_ID
from ficha.sandbox.whatsapp.operations.call import Call, checked_webhook, own_number
from ficha.sandbox.whatsapp.responses import success_response
from ficha.sandbox.whatsapp.tokens import MANAGEMENT

_PROFILE_FIELDS = ("about", "address", "description", "email", "profile_picture_url", "websites", "vertical")


async def change_number(call: Call, number_id: str) -> HttpResponse:
    number = own_number(call, number_id, MANAGEMENT)
    asked = call.request.fields()
    hook = asked.get("webhook_configuration")
    if isinstance(hook, dict):
        number.webhook = await checked_webhook(call, hook)
    elif "pin" in asked:
        number.set_pin(asked)
    else:
        raise invalid_parameter("The parameter pin is required.")
    return success_response()


def request_code(call: Call, number_id: str) -> HttpResponse:
    own_number(call, number_id, MANAGEMENT).request_code(call.request.fields(), call.platform.now())
    call.platform.mark_changed()
    return success_response()


def verify_code(call: Call, number_id: str) -> HttpResponse:
    own_number(call, number_id, MANAGEMENT).verify_code(call.request.fields(), call.platform.now())
    call.platform.mark_changed()
    return success_response()


def register(call: Call, number_id: str) -> HttpResponse:
    asked = call.request.fields()
    number = own_number(call, number_id, MANAGEMENT)
    if asked.get("messaging_product") != "whatsapp":
        raise invalid_parameter("The parameter messaging_product is required.")
    number.register(asked, call.platform.now())
    call.platform.mark_changed()
    return success_response()


def deregister(call: Call, number_id: str) -> HttpResponse:
    own_number(call, number_id, MANAGEMENT).deregister(call.platform.now())
    call.platform.mark_changed()
    return success_response()


def profile(call: Call, number_id: str) -> HttpResponse:
    profile = own_number(call, number_id, MANAGEMENT).profile
    asked = call.request.query.get("fields", "about,vertical").split(",")
    shown = {name: profile[name] for name in asked if name in _PROFILE_FIELDS and name in profile}
    return json_response({"data": [shown | {"messaging_product": "whatsapp"}]})


def change_profile(call: Call, number_id: str) -> HttpResponse:
    number = own_number(call, number_id, MANAGEMENT)
    url = call.platform.url
    pictures = {
        handle: f"{url}/_sandbox/pictures/{handle.rpartition(':')[2]}"
        for handle, session in call.platform.uploads.finished.items()
        if session.file_type.startswith("image/")
    }
    number.change_profile(call.request.fields(), pictures)
    call.platform.mark_changed()
    return success_response()


def commerce_settings(call: Call, number_id: str) -> HttpResponse:
    number = own_number(call, number_id, MANAGEMENT)
    return json_response({"data": [{"id": CATALOG_ID, **number.commerce}]})


def change_commerce_settings(call: Call, number_id: str) -> HttpResponse:
    number, asked = own_number(call, number_id, MANAGEMENT), call.request.fields()
    given = {name: str(asked[name]).lower() for name in number.commerce if name in asked}
    if not given or not set(given.values()) <= {"true", "false"}:
        raise invalid_parameter(f"One of the parameters {', '.join(number.commerce)} is required: true or false.")
    number.commerce |= {name: value == "true" for name, value in given.items()}
    return success_response()
