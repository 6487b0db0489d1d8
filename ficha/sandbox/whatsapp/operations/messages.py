"""Operations on messages and media."""

import re

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.operations.call import Call, own_number
from ficha.sandbox.whatsapp.sending import post_message
from ficha.sandbox.whatsapp.tokens import MESSAGING


def messages(call: Call, number_id: str) -> HttpResponse:
    number = own_number(call, number_id, MESSAGING)
    body = call.request.json()
    if isinstance(body, dict) and "messaging_product" in call.request.query:
        body = {"messaging_product": call.request.query["messaging_product"], **body}
    return post_message(call.platform, number, call.version, body)


def upload_media(call: Call, number_id: str) -> HttpResponse:
    number = own_number(call, number_id, MESSAGING)
    file = call.platform.media.upload(number.id, call.request.parts(), call.platform.now())
    call.platform.mark_changed()
    return json_response({"id": file.id})


def download(call: Call) -> HttpResponse:
    call.token()
    if not call.request.headers.get("user-agent"):
        return HttpResponse(403, b"Forbidden", {"Content-Type": "text/plain"})
    file = call.platform.media.file_at(dict(call.request.query), call.platform.now())
    name = file.filename or f"{file.id}.bin"
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name)
    return HttpResponse(
        200, file.content, {"Content-Type": file.mime_type, "Content-Disposition": f'attachment; filename="{safe}"'}
    )
