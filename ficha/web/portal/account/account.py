"""The account's own page: language, clave, sessions, and leaving, with what it holds offered first."""

from contextlib import suppress

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.accounts.clave import hash_clave
from ficha.accounts.login import WrongOwnClave
from ficha.accounts.recovery import change_clave
from ficha.accounts.tokens import MAX_ID, revoke_all, revoke_token, tokens_of
from ficha.asgi.threads import Pool
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.core.text_types import Clave
from ficha.enrolment.erasure import erase_account
from ficha.fmd.record_codes import codes_of_account
from ficha.http.dependencies import Browser, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.limits import TooManyRequests
from ficha.http.login_limits import confirm_clave
from ficha.web.kit.forms import FieldFault, PostedForm, fault_in
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.account.logout import FORGET
from ficha.web.portal.told_times import moments_of

PHRASES = page_texts("portal", "account")

routes = signed_in_routes("/app/mi-cuenta")

CLAVE: TypeAdapter[str] = TypeAdapter(Clave)
CLAVE_FAULTS = {"string_too_short": "clave_short", "string_too_long": "clave_long"}
MOST_SESSIONS = 50


@routes.page("")
def account_page(request: Request, reading: Reading, caller: CurrentCaller, now: Now) -> Response:
    account = reading.orm.get_one(Account, caller.account_id)
    return show(
        request,
        "portal/account/account.html",
        PHRASES,
        account=account,
        sessions=tokens_of(reading, account.id, now, after=MAX_ID, limit=MOST_SESSIONS),
        current=caller.token_id,
        told=moments_of(request, reading, account.id, now),
        is_saved=request.query_params.get("guardado") == "1",
    )


@routes.post("")
def change_account_page(request: Request, db: Db, caller: CurrentCaller, form: PostedForm) -> Response:
    """The language that mails are written in, or the end of one other session or of all."""
    if form.get("idioma") in set(Idioma):
        db.orm.get_one(Account, caller.account_id).idioma = form["idioma"]
    do, _, which = form.get("do", "").partition(":")
    if do == "end" and not which:
        revoke_all(db, caller.account_id, but=caller.token_id)
    elif do == "end" and which.isascii() and which.isdigit():
        with suppress(NotFound):  # It ended meanwhile.
            revoke_token(db, caller.account_id, min(int(which[:20]), MAX_ID))
    return go_to(request, "/app/mi-cuenta?guardado=1")


@routes.page("/clave")
def clave_page(request: Request, _caller: CurrentCaller) -> Response:
    return _clave_form(request)


@routes.post("/clave", pool=Pool.CLAVES)
def new_clave(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, form: PostedForm
) -> Response:
    """Ends every other session."""
    chosen = form.get("clave_nueva", "")
    fault = fault_in(CLAVE, chosen)
    if fault is not None:
        return _clave_form(request, "clave_nueva", CLAVE_FAULTS.get(fault["type"], "clave_odd"), **fault)
    try:
        confirm_clave(request, limiter, parts, caller, form.get("clave", "")[:128])
    except WrongOwnClave:
        return _clave_form(request, "clave", "clave_wrong")
    except TooManyRequests:
        return _clave_form(request, "clave", "too_many")
    hashed = hash_clave(chosen)  # Slow, so before the first statement.
    change_clave(db, db.orm.get_one(Account, caller.account_id), hashed, keep_token=caller.token_id)
    return go_to(request, "/app/mi-cuenta?guardado=1")


@routes.page("/borrar")
def erase_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    return _erase_form(request, [record.codes[0] for record in codes_of_account(reading, caller.account_id).records])


@routes.post("/borrar", pool=Pool.CLAVES)
def erase(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    browser: Browser,
    limiter: Limiter,
    now: Now,
    form: PostedForm,
) -> Response:
    try:
        confirm_clave(request, limiter, parts, caller, form.get("clave", "")[:128])
    except (WrongOwnClave, TooManyRequests) as refusal:
        wrong = "too_many" if isinstance(refusal, TooManyRequests) else "clave_wrong"
        codes = [record.codes[0] for record in codes_of_account(db, caller.account_id).records]
        return _erase_form(request, codes, wrong)
    erase_account(db, parts.keyring, caller.account_id, Actor("account", caller.account_id), now)
    response = go_to(request, "/")
    response.headers["Clear-Site-Data"] = FORGET
    browser.clear_cookies(response)
    return response


def _clave_form(request: Request, field: str = "", wrong: str = "", **values: object) -> Response:
    return show(
        request,
        "portal/account/change_clave.html",
        PHRASES,
        status=422 if wrong else 200,
        faults=_faults(request, field, wrong, **values),
    )


def _erase_form(request: Request, codes: list[str], wrong: str = "") -> Response:
    return show(
        request,
        "portal/account/erase.html",
        PHRASES,
        status=422 if wrong else 200,
        codes=codes,
        faults=_faults(request, "clave", wrong),
    )


def _faults(request: Request, field: str, wrong: str, **values: object) -> list[FieldFault]:
    return [FieldFault(field, translator(language_of(request), PHRASES)(wrong, **values))] if wrong else []
