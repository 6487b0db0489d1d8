"""The responder page of a scanned sticker in the ordinary lane.

The fast lane answers most scans; here come those with an alert under way, after or before breaking the glass, and
those that open nothing.
"""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.fmd.access import FmdNotFound
from ficha.http.dependencies import Address, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.routes import Routes
from ficha.http.threads import Pool
from ficha.parts import Parts
from ficha.web.kit.language import language_of, region_of
from ficha.web.kit.small_pages.response import small_page_response
from ficha.web.sticker.page_facts import BreakGlassForm, Deployment, RelayForm
from ficha.web.sticker.responder_page import render_opened
from ficha.web.sticker.scanned_record import BREAK_GLASS_COOKIE, open_scanned, scan_record
from ficha.web.sticker.script import SCRIPT
from ficha.web.sticker.sticker_path import Code, Tag, sticker_path
from ficha.web.sticker.unopened_page import unopened_response

routes = Routes(include_in_schema=False, pool=Pool.URGENT)


@routes.page("/e/{code}/{tag}")
@routes.page("/E/{code}/{tag}")
def scanned_page(request: Request, parts: AskedParts, address: Address, now: Now, code: Code, tag: Tag) -> Response:
    """`?mas=1` shows the break-glass form open, `?escribir=1` that to the family, for browsers without scripts."""
    is_asking = "mas" in request.query_params
    path, is_writing = sticker_path(code, tag), "escribir" in request.query_params
    form = BreakGlassForm(action=f"{path}/mas", is_open=True) if is_asking else None
    writing = RelayForm(f"{path}/mensaje", is_open=True) if is_writing else None
    return scanned_response(request, parts, address, now, code, tag, language_of(request), form, writing=writing)


def scanned_response(
    request: Request,
    parts: Parts,
    address: str,
    now: datetime,
    code: str,
    tag: str,
    language: Idioma,
    form: BreakGlassForm | None,
    status: int = 200,
    writing: RelayForm | None = None,
) -> Response:
    try:
        with parts.database.reading() as tx:
            fmd = scan_record(tx, parts, code, tag, request.cookies.get(BREAK_GLASS_COOKIE), now)
            opened = open_scanned(tx, parts, fmd, tag, language, now, form=form, writing=writing)
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language, code, refusal)
    # The read is noted before the page is shown.
    parts.read_log.note(opened.record_id, str(fmd.actor), "record.read", opened.noted, now, via="tag", origin=address)
    page = render_opened(opened, language, now, Deployment.of(parts.settings), region_of(request))
    return small_page_response(request, page, status, script=SCRIPT)
