"""People whom a number of the business blocks, and its short links with a message already written."""

import secrets
from collections.abc import Mapping
from typing import Any

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter
from ficha.sandbox.whatsapp.operations.call import Call, own_number
from ficha.sandbox.whatsapp.people import NotAPerson
from ficha.sandbox.whatsapp.responses import success_response
from ficha.sandbox.whatsapp.tokens import MANAGEMENT, MESSAGING

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
CODE_LETTERS = 14
MOST_LETTERS = 140
MOST_LISTED = 25


def blocked_users(call: Call, number_id: str) -> HttpResponse:
    number = own_number(call, number_id, MESSAGING)
    data = [{"messaging_product": "whatsapp", "wa_id": key} for key in number.blocked]
    return json_response({"data": data, "paging": {"cursors": {"before": "MA==", "after": "MA=="}}})


def block_users(call: Call, number_id: str) -> HttpResponse:
    number, asked = own_number(call, number_id, MESSAGING), _asked_users(call)
    number.blocked |= dict.fromkeys(each["wa_id"] for each in asked)
    return json_response({"messaging_product": "whatsapp", "block_users": {"added_users": asked}})


def unblock_users(call: Call, number_id: str) -> HttpResponse:
    number, asked = own_number(call, number_id, MESSAGING), _asked_users(call)
    for each in asked:
        number.blocked.pop(each["wa_id"], None)
    return json_response({"messaging_product": "whatsapp", "block_users": {"removed_users": asked}})


def _asked_users(call: Call) -> list[dict[str, str]]:
    asked = call.request.fields()
    if asked.get("messaging_product") != "whatsapp":
        raise invalid_parameter("The parameter messaging_product is required.")
    users = asked.get("block_users")
    if not isinstance(users, list) or not users:
        raise invalid_parameter("The parameter block_users is required.")
    return [_user(call, each) for each in users]


def _user(call: Call, given: Any) -> dict[str, str]:
    written = given.get("user") if isinstance(given, dict) else None
    if not isinstance(written, str):
        raise invalid_parameter("The parameter block_users['user'] is required.")
    try:
        return {"input": written, "wa_id": call.platform.people.with_id(written).key}
    except NotAPerson:
        raise invalid_parameter("Param block_users['user'] is not a phone number.") from None


def list_qr(call: Call, number_id: str) -> HttpResponse:
    codes = own_number(call, number_id, MANAGEMENT).qr_codes
    wanted = call.request.query.get("code")
    found = [each for code, each in reversed(codes.items()) if wanted in (None, code)]
    return json_response({"data": found[:MOST_LISTED]})


def put_qr(call: Call, number_id: str) -> HttpResponse:
    """With a code it changes the words of that one."""
    codes, asked = own_number(call, number_id, MANAGEMENT).qr_codes, call.request.fields()
    words = asked.get("prefilled_message")
    if not isinstance(words, str) or not 0 < len(words) <= MOST_LETTERS:
        raise invalid_parameter(f"Param prefilled_message must have 1 to {MOST_LETTERS} characters.")
    code = asked.get("code")
    if code is None:
        code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LETTERS))
    else:
        _known(codes, code)
    codes[code] = {"code": code, "prefilled_message": words, "deep_link_url": f"https://wa.me/message/{code}"}
    return json_response(codes[code])


def one_qr(call: Call, number_id: str, code: str) -> HttpResponse:
    return json_response({"data": [_known(own_number(call, number_id, MANAGEMENT).qr_codes, code)]})


def delete_qr(call: Call, number_id: str, code: str) -> HttpResponse:
    codes = own_number(call, number_id, MANAGEMENT).qr_codes
    _known(codes, code)
    del codes[code]
    return success_response()


def _known(codes: Mapping[str, dict[str, str]], code: Any) -> dict[str, str]:
    found = codes.get(code) if isinstance(code, str) else None
    if found is None:
        raise GraphError(100, "The QR code does not exist.", subcode=33)
    return found
