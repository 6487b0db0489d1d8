"""Operations on access tokens: get one, ask whose it is, ask about another."""

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter
from ficha.sandbox.whatsapp.operations.call import Call
from ficha.sandbox.whatsapp.tokens import USER_ID


def oauth(call: Call) -> HttpResponse:
    return json_response(call.platform.tokens.exchange(call.request.fields(), call.platform.now()))


def me(call: Call) -> HttpResponse:
    if call.presented_token is None:
        raise GraphError(2500)
    call.token()
    return json_response({"name": "Ficha", "id": USER_ID})


def debug_token(call: Call) -> HttpResponse:
    call.token()
    if not (asked := call.request.query.get("input_token")):
        raise invalid_parameter("The parameter input_token is required.")
    return json_response({"data": call.platform.tokens.describe(asked, call.platform.now())})
