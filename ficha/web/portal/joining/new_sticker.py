"""From the scan of a sticker that is nobody's yet to whoever holds it: to joining, to logging in, or, where somebody is
logged in, to the choice between her records and a new one."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.fmd.record_list import note_listed, records_for
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP
from ficha.web.kit.lists import row_number
from ficha.web.kit.rendering import show_form
from ficha.web.kit.signed_in import LOGIN, go_to, is_signed_in, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.sticker_cookie import (
    CODE,
    MOST_LETTERS,
    RememberedSticker,
    add_sticker,
    forget_sticker,
    remember_sticker,
    typed_sticker,
)

PHRASES = page_texts("portal", "add_sticker")

routes = Routes(include_in_schema=False)
choice_routes = signed_in_routes("/app")

CHOICE = "/app/etiqueta"


@routes.page("/empezar")
def start_page(request: Request) -> Response:
    """Whoever comes back here has no tag at hand: it stood in the form alone."""
    return go_to(request, "/")


@routes.post("/empezar")
def start(request: Request, parts: Parts, now: Now, form: PostedForm) -> Response:
    """The tag is not asked about here: whether it is good is found out when the sticker is claimed. A form that is not
    from a page of ours may name a sticker, but its tag is not kept: whoever sent it knows that tag."""
    browser = PageBrowser(request, parts)
    code, tag = form.get("code", "")[:6].upper(), form.get("tag", "")[:64].upper()
    if not CODE.fullmatch(code):
        return go_to(request, "/")
    if is_signed_in(request, parts):
        response = go_to(request, f"{CHOICE}?code={code}")
    elif form.get("para") == "entrar":
        response = go_to(request, f"{LOGIN}?next={quote(f'{CHOICE}?code={code}', safe='')}")
    else:
        response = go_to(request, f"/registro?code={code}")
    try:
        browser.check_form(form)
    except CsrfMismatch:
        return response
    if tag:
        remember_sticker(response, parts, RememberedSticker(code, tag), now)
    return response


@choice_routes.page("/etiqueta")
def choice_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, now: Now, address: Address
) -> Response:
    return _choice(request, reading, parts, caller, now, address, request.query_params.get("code", ""))


@choice_routes.post("/etiqueta")
def choose_record(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    now: Now,
    address: Address,
    form: PostedForm,
) -> Response:
    """Raises RecordNotManaged."""
    typed = form.get("code", "")
    sticker, which = typed_sticker(request, parts, typed, now), form.get("record", "")
    if form.get("do") == LANGUAGE_STEP:
        return _choice(request, db, parts, caller, now, address, typed, chosen=which)
    if which == "nueva":
        response = go_to(request, f"/app/nueva?code={quote(sticker.code[:6])}")
        if sticker.tag is not None:
            remember_sticker(response, parts, sticker, now)
        return response
    try:
        if not which:
            raise FieldRefused("record", "record_missing")
        added = add_sticker(request, db, limiter, address, caller, sticker, row_number(which), now)
    except FieldRefused as wrong:
        db.rollback()
        return _choice(request, db, parts, caller, now, address, typed, wrong, which)
    response = go_to(request, f"/app/{added.code}/etiquetas?hecho={'agregada' if added.is_confirmed else 'espera'}")
    forget_sticker(request, response, sticker)
    return response


def _choice(
    request: Request,
    tx: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: str,
    typed: str,
    wrong: FieldRefused | None = None,
    chosen: str = "",
) -> Response:
    records = [one for one in records_for(tx, parts.keyring, caller.account_id, now) if one.access.rights.manages]
    note_listed(parts.read_log, records, caller.account_id, now, origin=address)
    sticker = typed_sticker(request, parts, typed, now)
    # It was asked for by its code, and the tag is shown now.
    waits_for = next((str(one.id) for one in records if sticker.code in (each.code for each in one.products)), "")
    return show_form(
        request,
        "portal/joining/add_sticker.html",
        PHRASES,
        wrong,
        code=typed[:MOST_LETTERS],
        is_scanned=sticker.tag is not None,
        chosen=chosen or waits_for,
        records=[(str(one.id), one.nombre, " ".join(product.code for product in one.products)) for one in records],
    )
