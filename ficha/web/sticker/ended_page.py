"""The page of a sticker that opens nothing: lost, retired, mistyped or never issued. All of these look the same."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.core.settings import Settings
from ficha.fmd.responder.emergency_numbers import emergency_call
from ficha.web.kit.language import region_of
from ficha.web.kit.small_pages.page import render_small_page
from ficha.web.kit.small_pages.response import small_page_response
from ficha.web.sticker.page_facts import EndedPage
from ficha.web.sticker.page_phrases import TEXTS
from ficha.web.sticker.script import SCRIPT


def ended_response(request: Request, settings: Settings, language: Idioma, code: str) -> Response:
    """Its code may still alert the family, like one that was typed."""
    call = emergency_call(region_of(request), "", settings.emergency_country)
    printed = code[:6].upper()
    page = EndedPage(
        language=language,
        emergency=(call.number,),
        is_number_known=call.is_known,
        is_number_of_phone=call.is_of_phone,
        code=printed,
        alert_action=f"/e/{quote(printed)}/avisar",
        fields={"l": language.value},
        script=SCRIPT,
    )
    return small_page_response(request, render_ended(page), 404, script=SCRIPT)


def render_ended(page: EndedPage) -> bytes:
    return render_small_page("sticker/ended.html", TEXTS, page)
