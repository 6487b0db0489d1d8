"""Operations on resumable uploads."""

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import GraphError, no_such_object
from ficha.sandbox.whatsapp.operations.call import Call


def begin_upload(call: Call, app_id: str) -> HttpResponse:
    call.token()
    if app_id not in (call.platform.config.app_id, "app"):
        raise no_such_object(app_id, "POST")
    return json_response({"id": call.platform.uploads.begin(call.request.fields()).id})


def add_to_upload(call: Call, _: str) -> HttpResponse:
    _header_token(call)
    session = call.platform.uploads.find(call.path, call.request.query)
    handle = call.platform.uploads.add(session, call.request.headers.get("file_offset"), call.request.body)
    if handle is None:
        raise GraphError(100, message="Partial request (did not match length of file)")
    return json_response({"h": handle})


def upload_state(call: Call, _: str) -> HttpResponse:
    _header_token(call)
    session = call.platform.uploads.find(call.path, call.request.query)
    return json_response({"id": session.id, "file_offset": len(session.content)})


def _header_token(call: Call) -> None:
    if "authorization" not in call.request.headers:
        raise GraphError(104)
    call.token()
