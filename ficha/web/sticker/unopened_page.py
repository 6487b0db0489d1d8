"""The pages of a sticker that opens nothing: one that was lost, retired or replaced, a new one, one that is not active
yet, and a QR that we do not know. A wrong tag and a code that never was are one page."""

from datetime import datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.fmd.access import FmdNotFound
from ficha.fmd.responder.emergency_numbers import emergency_call
from ficha.fmd.scanning import TagEnded, TagNew, TagNotConfirmed
from ficha.http.browser import FORM_TOKEN, PageBrowser
from ficha.notices.notices import note_ended_scan_if_due
from ficha.parts import Parts
from ficha.web.kit.language import PARAMETER, region_of
from ficha.web.kit.small_pages.page import render_small_page, small_page_response
from ficha.web.sticker.page_facts import TEXTS, UnopenedKind, UnopenedPage
from ficha.web.sticker.script import SCRIPT

# Whoever shows the tag of one of these may make it hers.
CLAIMABLE = (UnopenedKind.NEW, UnopenedKind.UNCONFIRMED)


def unopened_response(
    request: Request,
    parts: Parts,
    address: str,
    now: datetime,
    language: Idioma,
    code: str,
    tag: str,
    refusal: FmdNotFound,
) -> Response:
    """`refusal` is what `scan` raised. The owner of a tag that ended is told. Call it outside any transaction.

    Where we do not know the QR, its code may still alert the family, like one that was typed. The form that claims a
    sticker carries its tag, and a token: else another site could hand somebody a sticker whose tag it knows."""
    is_primary_lost = parts.replicas is not None and parts.replicas.is_primary_lost
    if isinstance(refusal, TagEnded) and not is_primary_lost:
        note_ended_scan_if_due(parts.database, refusal.scan, now, origin=address)
    kind = _kind(refusal)
    call = emergency_call(region_of(request), "", parts.settings.emergency_country)
    printed, in_language = code[:6].upper(), f"?{PARAMETER}={language.value}"
    fields = {PARAMETER: language.value}
    browser = PageBrowser(request, parts) if kind in CLAIMABLE else None
    if browser is not None:
        browser.begin()
        fields = {"code": printed, "tag": tag.upper(), FORM_TOKEN: browser.form_token()}
    page = UnopenedPage(
        language=language,
        kind=kind,
        emergency=(call.number,),
        is_number_known=call.is_known,
        is_number_of_phone=call.is_of_phone,
        code=printed,
        alert_action=f"/e/{quote(printed)}/avisar" if kind is UnopenedKind.UNKNOWN else "",
        begin_action=f"/empezar{in_language}" if browser is not None else "",
        own_page=f"/app{in_language}" if isinstance(refusal, TagEnded) else "",
        fields=fields,
        script=SCRIPT,
    )
    # For good: a phone that kept a copy of the page forgets it.
    status = 410 if isinstance(refusal, TagEnded) else 404
    response = small_page_response(request, render_unopened(page), status, script=SCRIPT)
    if browser is not None:
        browser.set_cookies(response)
    return response


def _kind(refusal: FmdNotFound) -> UnopenedKind:
    if isinstance(refusal, TagEnded):
        return UnopenedKind(refusal.scan.why.value)
    if isinstance(refusal, TagNew):
        return UnopenedKind.NEW
    return UnopenedKind.UNCONFIRMED if isinstance(refusal, TagNotConfirmed) else UnopenedKind.UNKNOWN


def render_unopened(page: UnopenedPage) -> bytes:
    return render_small_page("sticker/unopened.html", TEXTS, page)
