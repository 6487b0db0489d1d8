"""`/app/{code}/ver`: a record as others see it, in each language, drawn by the functions that draw it for them. Nothing
is noted as their opening, nothing is sent, and no link or button of it does anything."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.transaction import Transaction
from ficha.emergencies.answers import AnswerView
from ficha.emergencies.contacts import contacts_in, door_of_number
from ficha.emergencies.emergency import EmergencyState, PermissionSource
from ficha.emergencies.steps import ContactName
from ficha.fmd.access import OpenFmd, rights_of
from ficha.fmd.base import Door
from ficha.fmd.break_glass import DURATION
from ficha.fmd.grants import GrantKind
from ficha.fmd.responder.person import COUNTRY_MODELS, country_seen_by_responder
from ficha.fmd.stored_documents import documents_of, stored_documents, unfiltered_first_name
from ficha.http.dependencies import CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.http.languages import OURS
from ficha.web.contact.answer_page import page_of, render_answer
from ficha.web.kit.language import PARAMETER, language_of, region_of
from ficha.web.kit.rendering import show
from ficha.web.kit.seen_record import PHRASES as SEEN
from ficha.web.kit.seen_record import seen_record
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.small_pages.content_policy import policy
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import zone_for
from ficha.web.sticker.page_facts import Deployment
from ficha.web.sticker.responder_page import render_opened
from ficha.web.sticker.scanned_record import read_opened
from ficha.web.sticker.typed_code_page import find_code_owner, render_typed_code, typed_page

PHRASES = page_texts("preview", "preview")

SCRIPT = re.compile(r"<script\b.*?</script>", re.S)
ADDRESSES = re.compile(r'(<(?:a|form)\b[^>]*?)\s(?:href|action|method)="[^"]*"')
INPUTS = re.compile(r"<(button|input|textarea|select)\b")


class Viewer(StrEnum):
    RESPONDER = "responder"
    GLASS = "identificado"
    TYPED = "codigo"
    DELEGATE = "delegado"
    INSTITUTION = "institucion"
    CONTACT = "contacto"


@dataclass(frozen=True)
class PreviewRequest:
    """The record that is looked at, opened by its owner."""

    request: Request
    tx: Transaction
    parts: Parts
    fmd: OpenFmd
    account_id: int
    code: str
    now: datetime


def preview_response(viewer: Viewer, looked: PreviewRequest) -> Response:
    """Only a page of ours may show it inside."""
    response = SHOWN[viewer](looked)
    allowed = response.headers["content-security-policy"].replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": allowed,
        "X-Frame-Options": "SAMEORIGIN",
        "X-Robots-Tag": "noindex",
    }
    return Response(without_actions(bytes(response.body).decode()), 200, headers)


def without_actions(html: str) -> str:
    """The page without scripts, with links that lead nowhere and inputs that take nothing."""
    html = SCRIPT.sub("", html)
    while (fewer := ADDRESSES.sub(r"\1", html)) != html:
        html = fewer
    return INPUTS.sub(r"<\1 disabled", html)


def _scanned(looked: PreviewRequest, door: Door) -> Response:
    fmd = looked.fmd
    until = looked.now + DURATION if door is Door.B else None
    opened = read_opened(looked.tx, looked.parts, fmd.record, fmd.key, looked.code, "", door, until)
    deployment = Deployment.of(looked.parts.settings)
    page = render_opened(opened, language_of(looked.request), looked.now, deployment, region_of(looked.request))
    return _small(page.whole())


def _typed(looked: PreviewRequest) -> Response:
    owner = find_code_owner(looked.tx, looked.parts, looked.code, looked.now)
    return _small(render_typed_code(typed_page(looked.request, looked.code, owner, None, script="")))


def _alerted(looked: PreviewRequest) -> Response:
    """As a contact sees it in the moment of an alert, before anybody has answered."""
    fmd = looked.fmd
    documents = documents_of(looked.tx, fmd.id, fmd.key, [*COUNTRY_MODELS, "personal"])
    first = next((contact.id for contact in contacts_in(documents.get("emergencia"))), "")
    seen = AnswerView(
        emergency_id=0,
        state=EmergencyState.OPEN,
        is_drill=False,
        name=unfiltered_first_name(documents),
        zone=zone_for(looked.request, looked.tx, fmd, looked.account_id),
        country=country_seen_by_responder(documents, looked.now.date()),
        since=looked.now,
        last_scan_at=looked.now,
        entrance=PermissionSource.TAG,
        position=None,
        landmark="",
        own_id="",
        own=ContactName("", ""),
        answer=None,
        declined="",
        others=[],
        said=[],
        contacts={},
        number_door=door_of_number(documents, first),
    )
    return _small(render_answer(page_of(looked.request, looked.parts, seen, "", looked.now)))


def _granted(looked: PreviewRequest, kind: GrantKind) -> Response:
    """What the record's own filter lets this kind of grant see, drawn as for who works at an institution."""
    fmd = looked.fmd
    stored = stored_documents(looked.tx, fmd.id, fmd.key)
    documents = {name: entry.document for name, entry in stored.items()}
    door = rights_of(kind, edits=False).door
    seen = seen_record(looked.tx, documents, door, looked.now, language_of(looked.request))
    return show(looked.request, "preview/record.html", {**SEEN, **PHRASES}, kind=kind, seen=seen)


def _small(page: bytes) -> Response:
    return Response(page, headers={"Content-Security-Policy": policy()})


SHOWN: dict[Viewer, Callable[[PreviewRequest], Response]] = {
    Viewer.RESPONDER: lambda looked: _scanned(looked, Door.R),
    Viewer.GLASS: lambda looked: _scanned(looked, Door.B),
    Viewer.TYPED: _typed,
    Viewer.DELEGATE: lambda looked: _granted(looked, GrantKind.DELEGATE),
    Viewer.INSTITUTION: lambda looked: _granted(looked, GrantKind.INSTITUTION),
    Viewer.CONTACT: _alerted,
}


routes = signed_in_routes("/app")


@routes.page("/{code}/ver")
def preview_page(request: Request, opened: ReadFmd, code: str) -> Response:
    opened.fmd.must_manage()
    asked = request.query_params.get("idioma", "")
    language = asked if asked in OURS else language_of(request).value
    viewer = _viewer(request)
    return show(
        request,
        "preview/page.html",
        PHRASES,
        frames_us=True,
        code=code,
        viewers=list(Viewer),
        viewer=viewer,
        seen_in=language,
        frame=f"/app/{code}/vista?como={viewer}&{PARAMETER}={language}",
    )


@routes.page("/{code}/vista")
def previewed_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """What is shown inside. It is the owner who reads, and so it is noted."""
    opened.fmd.must_manage()
    opened.note("record.previewed", [], now)
    return preview_response(
        _viewer(request), PreviewRequest(request, reading, parts, opened.fmd, caller.account_id, code, now)
    )


def _viewer(request: Request) -> Viewer:
    asked = request.query_params.get("como")
    return Viewer(asked) if asked in set(Viewer) else Viewer.RESPONDER
