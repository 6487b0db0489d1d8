"""The pages of a sticker that opens nothing: one that ended, a new one, one that is not active yet, and a QR that we do
not know. A wrong tag and a code that never was are one page."""

from datetime import datetime
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.fmd.access import FmdNotFound
from ficha.fmd.responder.emergency_numbers import emergency_call
from ficha.fmd.scanning import TagEnded, TagNew, TagNotConfirmed
from ficha.notices.notices import note_ended_scan_if_due
from ficha.parts import Parts
from ficha.web.kit.language import PARAMETER, region_of
from ficha.web.kit.small_pages.page import render_small_page, small_page_response
from ficha.web.sticker.page_facts import TEXTS, UnopenedKind, UnopenedPage
from ficha.web.sticker.script import SCRIPT

KINDS = {TagEnded: UnopenedKind.ENDED, TagNew: UnopenedKind.NEW, TagNotConfirmed: UnopenedKind.UNCONFIRMED}


def unopened_response(
    request: Request, parts: Parts, address: str, now: datetime, language: Idioma, code: str, refusal: FmdNotFound
) -> Response:
    """`refusal` is what `scan` raised. The owner of a tag that ended is told. Call it outside any transaction.

    Where we do not know the QR, its code may still alert the family, like one that was typed."""
    if isinstance(refusal, TagEnded):
        note_ended_scan_if_due(parts.database, refusal.scan, now, origin=address)
    kind = KINDS.get(type(refusal), UnopenedKind.UNKNOWN)
    call = emergency_call(region_of(request), "", parts.settings.emergency_country)
    printed = code[:6].upper()
    page = UnopenedPage(
        language=language,
        kind=kind,
        emergency=(call.number,),
        is_number_known=call.is_known,
        is_number_of_phone=call.is_of_phone,
        code=printed,
        alert_action=f"/e/{quote(printed)}/avisar" if kind is UnopenedKind.UNKNOWN else "",
        join_page=f"/registro?code={quote(printed)}&{PARAMETER}={language.value}" if kind is UnopenedKind.NEW else "",
        fields={PARAMETER: language.value},
        script=SCRIPT,
    )
    # For good: a phone that kept a copy of the page forgets it.
    status = 410 if kind is UnopenedKind.ENDED else 404
    return small_page_response(request, render_unopened(page), status, script=SCRIPT)


def render_unopened(page: UnopenedPage) -> bytes:
    return render_small_page("sticker/unopened.html", TEXTS, page)
