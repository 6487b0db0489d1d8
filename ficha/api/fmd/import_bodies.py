"""What may be sent to be imported, and in which shapes: a document, a card, a picture of a QR, or a link."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Depends
from pydantic import Field, ValidationError

from ficha.api.bodies import Body
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.faults import fields_error
from ficha.core.multipart import FormPart, read_multipart
from ficha.exchange.health_links.reading import MOST_LETTERS
from ficha.exchange.jose import NotJose, json_object
from ficha.http.sent_documents import SentDocument

BINARY = {"type": "string", "format": "binary"}
FHIR_BODY: dict[str, Any] = {
    "type": "object",
    "examples": [
        {
            "resourceType": "Bundle",
            "type": "collection",
            "entry": [
                {"resource": {"resourceType": "Patient"}},
                {"resource": {"resourceType": "Procedure", "status": "completed", "code": {"text": "Apendicectomía"}}},
            ],
        }
    ],
}
LINK: dict[str, Any] = {
    "type": "string",
    "description": "`shlink:/…`, or the same behind a viewer's address. Its server is asked while the caller waits.",
}
PASSCODE: dict[str, Any] = {"type": "string", "maxLength": 1000, "description": "Of a link that asks for one."}
LINK_BODY: dict[str, Any] = {
    "type": "object",
    "properties": {"link": LINK | {"maxLength": MOST_LETTERS}, "passcode": PASSCODE},
    "required": ["link"],
    "additionalProperties": False,
    "examples": [{"link": "shlink:/eyJ1cmwiOiJodHRwczovL2hvc3BpdGFsLmV4YW1wbGUv…", "passcode": "274915"}],
}
FILE_BODY: dict[str, Any] = {
    "application/fhir+json": FHIR_BODY,
    "application/json": LINK_BODY,
    "multipart/form-data": {
        "type": "object",
        "properties": {"archivo": BINARY, "link": LINK, "passcode": PASSCODE},
        "oneOf": [{"required": ["archivo"]}, {"required": ["link"]}],
        "additionalProperties": False,
    },
    "application/octet-stream": BINARY,
}


class LinkToImport(Body):
    link: str = Field(max_length=MOST_LETTERS)
    passcode: str = Field("", max_length=1000)


def document_sent(request: ReadRequest) -> SentDocument:
    """The body itself, a link in JSON, or the file `archivo` or the `link` of a form. Raises InvalidFields."""
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        return _form_sent(read_multipart(content_type, request.raw_body))
    if kind == "application/json" and _is_of_a_link(request.raw_body):
        try:
            told = LinkToImport.model_validate_json(request.raw_body)
        except ValidationError as refusal:
            faults = refusal.errors(include_url=False, include_input=False)
            raise fields_error([{**fault, "loc": ("body", *fault["loc"])} for fault in faults]) from None
        return SentDocument(told.link.encode(), told.passcode)
    return SentDocument(request.raw_body)


def _is_of_a_link(body: bytes) -> bool:
    """Not a document of FHIR, which may be called plain JSON too."""
    try:
        return len(body) <= 2 * MOST_LETTERS and "link" in json_object(body)
    except NotJose:
        return False


def _form_sent(parts: Sequence[FormPart]) -> SentDocument:
    named = {part.name: part for part in parts}
    passcode = named.pop("passcode", None)
    archivo, link = named.get("archivo"), named.get("link")
    if len(named) != 1 or len(parts) > 2 or ((archivo is None or archivo.filename is None) and link is None):
        raise fields_error([{"type": "missing", "loc": ("body", "archivo")}])
    [sent] = named.values()
    return SentDocument(sent.content, passcode.text[:1000] if passcode is not None else "")


SentFile = Annotated[SentDocument, Depends(document_sent)]
