"""The page that stands in for every page of a sticker while we cannot answer, as without a database: whom to call and
what to do, and nothing about the person. Proxies show the same one, in all languages, when no server answers."""

import re

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.core.errors import FichaError
from ficha.fmd.responder.emergency_numbers import EmergencyCall, emergency_call
from ficha.web.kit.errors import SERVER_ERROR, page_or_json_error
from ficha.web.kit.language import PARAMETER, language_of, region_of, texts_by_language
from ficha.web.kit.small_pages.content_policy import policy
from ficha.web.kit.small_pages.page import render_small_page, small_page_response
from ficha.web.kit.texts import page_texts
from ficha.web.sticker.page_facts import UnavailablePage
from ficha.web.sticker.script import UNAVAILABLE_SCRIPT

TEXTS = texts_by_language(
    {**page_texts("kit", "emergency_call"), **page_texts("sticker", "page"), **page_texts("sticker", "unavailable")}
)
TEMPLATE = "sticker/unavailable.html"
# A page of a sticker, or one of its forms. Scripts and streams beside them are for programs.
STICKER_PAGE = re.compile(r"(/[eE]/[^/.]+(?:/[^/.]+)??)(?:/(?:avisar|ubicacion|mensaje|mas))?")


def sticker_or_other_error(request: Request, error: FichaError) -> Response:
    """The answer to any error. Whoever scanned a sticker is told whom to call, whatever her browser says it accepts."""
    sticker = STICKER_PAGE.fullmatch(request.url.path)
    if error.status < SERVER_ERROR or sticker is None:
        return page_or_json_error(request, error)
    call = emergency_call(region_of(request), "", request.app.state.parts.settings.emergency_country)
    language = language_of(request)
    page = _page(language, call)
    if request.method == "POST":  # A form's own address shows nothing when it is opened.
        page.is_posted = True
        page.switch = {one: f"{sticker[1]}?{PARAMETER}={one}" for one in Idioma}
        page.again = page.switch[language]
    response = small_page_response(request, render_unavailable(page), error.status, script=UNAVAILABLE_SCRIPT)
    response.headers.update(error.headers)
    return response


def page_for_proxies(country: str) -> str:
    """In all languages, the first on top: a proxy chooses none. It brings its own policy, which names the script."""
    page = _page(Idioma.ES, emergency_call("", "", country))
    page.switch = {one: f"#{one}" for one in Idioma}
    content = render_unavailable(page, *(one for one in Idioma if one is not page.language)).decode()
    # A page cannot say by itself who may frame it.
    allowed = policy(UNAVAILABLE_SCRIPT).partition("; frame-ancestors")[0]
    head = '<meta charset="utf-8">\n'
    return content.replace(head, f'{head}<meta http-equiv="Content-Security-Policy" content="{allowed}">\n', 1)


def render_unavailable(page: UnavailablePage, *others: Idioma) -> bytes:
    """With the same below it in `others`."""
    return render_small_page(TEMPLATE, TEXTS, page, others=[(one.value, TEXTS[one]) for one in others])


def _page(language: Idioma, call: EmergencyCall) -> UnavailablePage:
    return UnavailablePage(
        language=language,
        emergency=(call.number,),
        is_number_known=call.is_known,
        is_number_of_phone=call.is_of_phone,
        script=UNAVAILABLE_SCRIPT,
    )
