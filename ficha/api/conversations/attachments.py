"""Attachments: a form with files, passed on piece by piece as it comes in."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Depends
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ficha.api.conversations.descriptions import AGENT, BODY_ERRORS, MESSAGE, RESPONSES, Number
from ficha.api.conversations.passing_on import Passing, ServedStreamedOn, StreamedBody
from ficha.api.operations import Operations
from ficha.asgi.bodies import BodyCutOff, ReadRequest
from ficha.asgi.faults import fields_error
from ficha.core.errors import FichaError, Source
from ficha.core.multipart import NotMultipart, part_name_reader

operations = Operations(
    "conversations",
    prefix="/accounts/{account_id}",
    served=ServedStreamedOn,
    callers="platform",
    credentials=AGENT,
    responses=RESPONSES,
    response_class=Response,
)

# RFC 2046: what a boundary may be made of. Nothing else of the header is passed on.
FORM = re.compile(r"multipart/form-data\s*;\s*boundary=(\"?)([0-9A-Za-z'()+_,./:=?-]{1,70})\1\s*", re.IGNORECASE)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "content": {"type": "string"},
        "message_type": {"type": "string", "enum": ["outgoing", "incoming"]},
        "private": {"type": "string", "enum": ["true", "false"]},
        "attachments[]": {"type": "array", "maxItems": 15, "items": {"type": "string", "format": "binary"}},
    },
    "examples": [{"content": "Vea la foto", "attachments[]": ["@foto.png;type=image/png"]}],
}


class NotAForm(FichaError):
    status = 415
    code = "formulario_no_admitido"
    message = "Envíe los archivos como multipart/form-data, en partes llamadas attachments[]."
    source = Source("header", "Content-Type")


def form_body(request: ReadRequest) -> StreamedBody:
    """Raises NotAForm."""
    found = FORM.fullmatch(request.headers.get("content-type", ""))
    if found is None:
        raise NotAForm
    length = request.headers.get("content-length", "")
    content_type = f'multipart/form-data; boundary="{found[2]}"'
    return StreamedBody(_chunks(request, found[2]), content_type, int(length) if length.isdigit() else None)


async def _chunks(request: ReadRequest, boundary: str) -> AsyncIterator[bytes]:
    """Each is looked at before it is passed on: a form with a part of another name, which the platform would ignore, is
    never whole there. Raises BodyCutOff, BodyTooLarge, BodyTooSlow, Stopping, NotAForm or InvalidFields."""
    read_names = part_name_reader(boundary, _check_name)
    try:
        async for chunk in request.stream():
            if chunk:
                read_names(chunk)
                yield chunk
    except NotMultipart:
        raise NotAForm from None
    except ClientDisconnect:
        raise BodyCutOff from None


def _check_name(name: str) -> None:
    """Raises InvalidFields."""
    if name not in SCHEMA["properties"]:
        raise fields_error([{"type": "extra_forbidden", "loc": ("body", name)}])


@operations.post(
    "/conversations/{id}/attachments",
    "Send Attachments",
    seed=True,
    errors=BODY_ERRORS,
    example=MESSAGE
    | {"attachments": [{"id": 1, "message_id": 12, "file_type": "image", "account_id": 1, "file_size": 4096}]},
    body={"multipart/form-data": SCHEMA},
)
async def send_attachments(
    passing: Passing, account_id: Number, id: Number, form: Annotated[StreamedBody, Depends(form_body)]
) -> Response:
    """A message with up to fifteen files, in parts named `attachments[]`, and `content`, `message_type` and `private`
    as fields; a part of any other name is refused. The files are passed on as they come, and kept nowhere. Under an
    Idempotency-Key the length of the form stands for its content."""
    return await passing.to_account(account_id, "conversations", id, "messages", stream=form)
