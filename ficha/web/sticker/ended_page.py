"""The page of a sticker that opens nothing: lost, retired, mistyped or never issued. All of these look the same."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.web.kit.small_pages.page import render_small_page
from ficha.web.kit.small_pages.response import small_page_response
from ficha.web.sticker.page_facts import EndedPage
from ficha.web.sticker.page_phrases import TEXTS
from ficha.web.sticker.script import SCRIPT


def ended_response(request: Request, language: Idioma, code: str) -> Response:
    page = render_ended(EndedPage(language=language, emergency=("112",), code=code[:6].upper()))
    return small_page_response(request, page, 404, script=SCRIPT)


def render_ended(page: EndedPage) -> bytes:
    return render_small_page("sticker/ended.html", TEXTS, page)
