"""The gateway to the platform's own message call: a caller with a token of the platform sends a read receipt, or any
other message, through us. Request and answer are passed on unchanged."""

import json
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Path, Request
from sqlalchemy.exc import SQLAlchemyError
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import Response

from ficha.api.bodies import raise_if_faults
from ficha.api.messaging.platform_calls import PLATFORM_ERRORS, PlatformFailed, translated_platform_errors
from ficha.api.operations import Operations
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.json_bodies import json_content
from ficha.asgi.threads import Pool
from ficha.channels.whatsapp.http_messages import HttpAnswer
from ficha.core.errors import TITLES, FichaError, NotFound, Source
from ficha.core.log import log
from ficha.http.callers import bearer_of
from ficha.http.dependencies import Now, Parts
from ficha.http.openapi import ERROR
from ficha.http.served_operation import ServedForPlatform
from ficha.messaging.messages import ContactStopped, mark_handled_up_to
from ficha.messaging.threads import Person, is_stopped

operations = Operations("messaging", served=ServedForPlatform)

# To nobody, so it cannot be sent: the platform looks at the token first, and then misses the number.
NO_MESSAGE = b'{"messaging_product":"whatsapp"}'
# What the platform says of a number that the token may not use.
NOT_THEIRS = 33
RECEIPT = {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.HBgLNTg0MTI1NTUxMTExFQIAEhgU"}
GRAPH_ERROR = {
    "type": "object",
    "description": "The platform's own error, passed on as it came.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {"message": {"type": "string"}, "type": {"type": "string"}, "code": {"type": "integer"}},
            "required": ["code"],
        }
    },
    "required": ["error"],
    "examples": [{"error": {"message": "(#131031) Account has been locked", "type": "OAuthException", "code": 131031}}],
}
# Ours for what we refuse ourselves; the platform's where it has refused or failed.
_EITHER = {"application/json": {"schema": {"anyOf": [ERROR, GRAPH_ERROR]}}}
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": TITLES[status], "content": _EITHER} for status in (400, 401, 403, 404, 429, 500, 503)
}


class PlatformVersion(Convertor[str]):
    """`v23.0`: with its dot, so that it never matches /v1 or /v2."""

    regex = r"v[0-9]{1,3}\.[0-9]{1,3}"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("platform_version", PlatformVersion())


class NoPlatformToken(FichaError):
    """Also for a token of ours, which must not reach the platform."""

    status = 401
    code = "token_de_plataforma"
    message = "Presente el token de la plataforma en Authorization: Bearer. Los tokens de Ficha no sirven aquí."
    source = Source("header", "Authorization")
    headers = {"WWW-Authenticate": 'Bearer realm="platform"'}  # noqa: RUF012


class GatewayRequest(NamedTuple):
    body: bytes
    content: dict[str, Any]


def platform_token(request: Request) -> str:
    """Raises NoPlatformToken."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    # The platform's own clients write either word.
    presented = given.strip() if scheme.lower() == "oauth" and given.strip() else bearer_of(request)
    # Ours are `<ID>|<SECRET>`; no token of the platform that can send has that sign.
    if presented is None or "|" in presented or not presented.isascii() or not presented.isprintable():
        raise NoPlatformToken
    return presented


def gateway_request(request: ReadRequest) -> GatewayRequest:
    """Raises NotJsonType, NotJson, or InvalidFields if the body is no object."""
    content = json_content(request.headers.get("content-type", ""), request.raw_body, required=True)
    if not isinstance(content, dict):
        raise_if_faults([("", "Debe ser un objeto JSON.")])
    return GatewayRequest(request.raw_body, content)


@operations.post(
    "/{api_version:platform_version}/{business_phone_number_id}/messages",
    "Read receipt",
    callers="platform",
    seed=True,
    errors=(415, *PLATFORM_ERRORS),
    responses=RESPONSES,
    example={"success": True},
    body={"application/json": {"type": "object", "examples": [RECEIPT]}},
    response_class=Response,
    pool=Pool.OUTSIDE,
)
def forward(
    parts: Parts,
    now: Now,
    token: Annotated[str, Depends(platform_token)],
    sent: Annotated[GatewayRequest, Depends(gateway_request)],
    api_version: Annotated[str, Path(examples=["v23.0"])],
    business_phone_number_id: Annotated[str, Path(examples=["106540352242922"])],
) -> Response:
    """Passed on with the caller's own token of the platform, and answered with the platform's own status and body,
    errors of its own included. A read receipt marks the message as dealt with here too. With an Idempotency-Key, what
    the platform took or may have taken is not sent again."""
    if business_phone_number_id not in parts.settings.whatsapp_number_ids:
        raise NotFound
    is_to_stopped = _is_to_stopped(parts, business_phone_number_id, sent.content)
    body = NO_MESSAGE if is_to_stopped else sent.body
    with translated_platform_errors():
        passed = parts.whatsapp.forward(api_version, business_phone_number_id, token, body)
    if not _is_of_the_platform(passed):
        raise PlatformFailed  # A proxy on the way answered in its place, and does not know what happened.
    if is_to_stopped and not _is_callers_fault(passed):
        raise ContactStopped
    if passed.status == 200 and sent.content.get("status") == "read":
        _note_read(parts, sent.content.get("message_id"), now)
    headers = {name: value for name, value in passed.headers.items() if name != "content-type"}
    return Response(passed.body, passed.status, headers, "application/json")


def _is_to_stopped(parts: Parts, number_id: str, content: dict[str, Any]) -> bool:
    """Whether it is a message to somebody who stopped ours: none goes by this way either. Only whom the platform lets
    send is told."""
    to, recipient = content.get("to"), content.get("recipient")
    if isinstance(to, str | int) and not isinstance(to, bool):
        digits = "".join(letter for letter in str(to) if letter.isdigit())
        person = Person(wa_id=digits) if digits else None
    else:
        person = Person(user_id=recipient) if isinstance(recipient, str) and recipient else None
    if person is None or content.get("status") is not None:
        return False
    with parts.database.reading() as tx:
        return is_stopped(tx, number_id, person)


def _is_callers_fault(passed: HttpAnswer) -> bool:
    """Whether the platform refused the token, or failed, as it would have whatever was to be sent."""
    if passed.status in (401, 403) or passed.status >= 500:
        return True
    error = json.loads(passed.body).get("error")
    return isinstance(error, dict) and error.get("error_subcode") == NOT_THEIRS


def _note_read(parts: Parts, provider_id: object, now: datetime) -> None:
    """The platform has the receipt already, so an error here is only logged."""
    if not isinstance(provider_id, str):
        return
    try:
        with parts.database.writing() as tx:
            mark_handled_up_to(tx, provider_id, now)
    except (SQLAlchemyError, TimeoutError) as error:
        log().error("gateway.receipt_not_noted", error=type(error).__name__)


def _is_of_the_platform(passed: HttpAnswer) -> bool:
    """Its answers are JSON, and only its own failures have a number: then the request was certainly not accepted."""
    try:
        content = json.loads(passed.body.decode())
    except (ValueError, RecursionError):
        return False
    if passed.status < 500:
        return isinstance(content, dict)
    error = content.get("error") if isinstance(content, dict) else None
    return isinstance(error, dict) and type(error.get("code")) is int
