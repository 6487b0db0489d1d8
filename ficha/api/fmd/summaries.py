"""The record as an International Patient Summary: as FHIR, as a page and as PDF; and what we say of our FHIR."""

from datetime import datetime
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Query, Request
from pydantic_core import to_json
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.api.examples import file_answer
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.cards.summary_pages import drawn_summary
from ficha.core.transaction import Transaction
from ficha.exchange.ips.definitions import FHIR_JSON, capability_statement, own_extension
from ficha.exchange.ips.document import RecordToTell, SummaryDocument, patient_summary
from ficha.exchange.ips.page import POLICY, summary_page
from ficha.fmd.base import Door
from ficha.fmd.responder.record_reader import opened_entries
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.statements import sealed_entries
from ficha.http.dependencies import Now, Parts, Reading
from ficha.http.file_answers import file_response
from ficha.http.fmd_dependencies import ReadFmd, ReadingFmd
from ficha.http.languages import preferred_language
from ficha.parts import Parts as AllParts

operations = Operations("fmd", prefix="/fmd", callers="bearer", progress="Developing")
fhir_operations = Operations("fmd", prefix="/fhir", callers="public", progress="Developing")

DOOR = (
    "How deep its readers see: R as whoever scans, B as whoever gives a name. What the owner keeps to herself is in no "
    "document for others: P is answered as B."
)
LANGUAGE = "Of the narrative; by default what `Accept-Language` asks for."
EXAMPLE: dict[str, Any] = {
    "resourceType": "Bundle",
    "type": "document",
    "timestamp": "2026-11-15T12:00:00+00:00",
    "entry": [{"fullUrl": "urn:uuid:0e0b…", "resource": {"resourceType": "Composition", "status": "final"}}],
}


class SummaryAsked(NamedTuple):
    idioma: Idioma
    door: Door


def summary_asked(
    request: Request,
    idioma: Annotated[Idioma | None, Query(description=LANGUAGE)] = None,
    door: Annotated[Door, Query(description=DOOR)] = Door.B,
) -> SummaryAsked:
    # `P` is what only the owner sees: she too gets what others may read.
    language = idioma or preferred_language(request.headers.get("accept-language", ""))
    return SummaryAsked(language, door if door is not Door.P else Door.B)


Asked = Annotated[SummaryAsked, Depends(summary_asked)]


def _summary(
    reading: Transaction, opened: ReadingFmd, parts: AllParts, now: datetime, asked: SummaryAsked
) -> SummaryDocument:
    """Noted in the log before anybody sees it."""
    fmd = opened.fmd
    entries = sealed_entries(reading, fmd.id, None)
    record = RecordToTell(
        fmd.id,
        opened_entries(fmd.id, fmd.key, entries),
        asked.door,
        asked.idioma,
        parts.settings.public_url,
        withdrawn_rules(reading),
    )
    made = patient_summary(record, now)
    opened.note("record.summary", made.models, now)
    return made


def _fhir(content: Any) -> Response:
    return Response(to_json(content), media_type=FHIR_JSON)


@operations.get(
    "/{code}/ips",
    "FMD IPS",
    errors=(404, 503),
    responses={200: {"content": {FHIR_JSON: {"schema": {"type": "object"}, "example": EXAMPLE}}}},
    response_class=Response,
)
def ips(reading: Reading, opened: ReadFmd, parts: Parts, now: Now, asked: Asked) -> Response:
    """The International Patient Summary (FHIR R4, IPS 2.0.0): a document that hospitals anywhere read, of what the
    owner lets others see. `docs/fhir.md` says how each field is written."""
    return _fhir(_summary(reading, opened, parts, now, asked).bundle)


@operations.get(
    "/{code}/ips.html",
    "FMD IPS page",
    errors=(404, 503),
    media_type="text/html",
    example="<!doctype html>…",
    response_class=Response,
)
def ips_page(reading: Reading, opened: ReadFmd, parts: Parts, now: Now, asked: Asked) -> Response:
    """The same as a page for people, to be read or printed on a ward."""
    made = _summary(reading, opened, parts, now, asked)
    headers = {"Content-Security-Policy": POLICY, "Content-Language": asked.idioma, "Vary": "Accept-Language"}
    return Response(summary_page(made, asked.idioma, now), media_type="text/html", headers=headers)


@operations.get(
    "/{code}/ips.pdf",
    "FMD IPS PDF",
    errors=(404, 503),
    responses=file_answer(FileType.PDF),
    response_class=Response,
    pool=Pool.LONG,
)
def ips_pdf(reading: Reading, opened: ReadFmd, parts: Parts, now: Now, asked: Asked) -> Response:
    """The same as PDF/A, with a title for each section."""
    made = _summary(reading, opened, parts, now, asked)
    reading.give_back()  # Nothing is held while it is drawn.
    return file_response(FileType.PDF, drawn_summary(made, asked.idioma, now))


@fhir_operations.get(
    "/Patient/{code}/$summary",
    "FHIR patient summary",
    callers="bearer",
    errors=(404, 503),
    responses={200: {"content": {FHIR_JSON: {"schema": {"type": "object"}, "example": EXAMPLE}}}},
    response_class=Response,
)
def fhir_summary(reading: Reading, opened: ReadFmd, parts: Parts, now: Now, asked: Asked) -> Response:
    """The same document where integrators expect it: the IPS operation `$summary`. The id of the patient is any live
    code of the record."""
    return _fhir(_summary(reading, opened, parts, now, asked).bundle)


@fhir_operations.get(
    "/metadata",
    "FHIR metadata",
    responses={
        200: {
            "content": {FHIR_JSON: {"schema": {"type": "object"}, "example": {"resourceType": "CapabilityStatement"}}}
        }
    },
    response_class=Response,
)
def metadata(parts: Parts) -> Response:
    """What of FHIR this service supports, as a CapabilityStatement."""
    return _fhir(capability_statement(parts.settings.public_url))


@fhir_operations.get(
    "/StructureDefinition/ficha",
    "FHIR extension",
    responses={
        200: {
            "content": {FHIR_JSON: {"schema": {"type": "object"}, "example": {"resourceType": "StructureDefinition"}}}
        }
    },
    response_class=Response,
)
def extension(parts: Parts) -> Response:
    """The extension that carries those fields of a record for which FHIR has no place."""
    return _fhir(own_extension(parts.settings.public_url))
