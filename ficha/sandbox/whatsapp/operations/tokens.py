"""Tokens: getting one, showing whose it is, and asking about another."""

from ficha.sandbox.http_messages import HttpResponse, as_json
from ficha.sandbox.whatsapp.errors import GraphError, invalid
from ficha.sandbox.whatsapp.operations.call import Call
from ficha.sandbox.whatsapp.tokens import USER_ID


def oauth(call: Call) -> HttpResponse:
    return as_json(call.platform.tokens.exchange(call.request.fields(), call.platform.now()))


def me(call: Call) -> HttpResponse:
    if call.shown_token is None:
        raise GraphError(2500)
    call.token()
    return as_json({"name": "Ficha", "id": USER_ID})


def debug_token(call: Call) -> HttpResponse:
    call.token()
    if not (asked := call.request.query.get("input_token")):
        raise invalid("The parameter input_token is required.")
    return as_json({"data": call.platform.tokens.describe(asked, call.platform.now())})
