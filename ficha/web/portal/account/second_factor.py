"""The second factor of one's account: an app (scan, type a first code, keep the recovery codes), and passkeys.

To add a passkey takes two steps: the name and the clave are posted, and the page that answers asks the device by a
script.
"""

from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.passkeys import (
    Challenges,
    PasskeyRefused,
    add_passkey,
    passkeys_of,
    registration_options,
    remove_passkey,
)
from ficha.accounts.second_factor import (
    SecondFactorWrong,
    begin_setup,
    confirm_setup,
    forget_recovery_codes,
    new_recovery_codes,
    pending_secret,
    remove_app,
    setup_link,
)
from ficha.accounts.statements import has_app, has_second_factor
from ficha.accounts.tokens import revoke_all
from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.cards.qr import symbol_of
from ficha.core.text_types import Etiqueta
from ficha.http.dependencies import Browser, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.web.kit.forms import FieldRefused, PostedForm, fault_in
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import SECOND_FACTOR, go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.account.proofs import confirm_own_clave
from ficha.web.portal.time_zones import day_texts

PASSKEYS = page_texts("portal", "passkeys")
PHRASES = page_texts("portal", "second_factor")

routes = signed_in_routes()

PASSKEY_PATH = "/app/mi-cuenta/llaves"
NAME: TypeAdapter[Any] = TypeAdapter(Etiqueta)


@routes.page(SECOND_FACTOR)
def second_factor_page(request: Request, reading: Reading, parts: Parts, caller: CurrentCaller) -> Response:
    return _app_page(request, reading, parts, caller.account_id)


@routes.post(SECOND_FACTOR, pool=Pool.CLAVES)
def change_second_factor(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, now: Now, form: PostedForm
) -> Response:
    """Beginning and ending take the clave: whoever finds an open session must not shut its owner out."""
    do, account_id = form.get("do"), caller.account_id
    is_on = has_app(db, account_id)
    try:
        if do == "confirm" and not is_on and pending_secret(db, parts.secrets, account_id) is not None:
            limiter.hit(request, RateLimit.LOGIN_ACCOUNT, f"second:{account_id}")
            codes = confirm_setup(db, parts.secrets, account_id, form.get("codigo", "")[:40], now)
            revoke_all(db, account_id, but=caller.token_id)  # They were opened without it.
            return show(request, "portal/account/recovery.html", PHRASES, codes=codes)
        confirm_own_clave(request, limiter, parts, caller, form)
    except SecondFactorWrong:
        return _app_page(request, db, parts, account_id, FieldRefused("codigo", "second_wrong"))
    except TooManyRequests:
        return _app_page(request, db, parts, account_id, FieldRefused("codigo", "too_many"))
    except FieldRefused as wrong:
        return _app_page(request, db, parts, account_id, wrong)
    if do == "begin" and not is_on:
        begin_setup(db, parts.secrets, account_id, now)
    elif do == "remove":
        remove_app(db, account_id)
    return go_to(request, SECOND_FACTOR)


def _app_page(
    request: Request, tx: Reading, parts: Parts, account_id: int, wrong: FieldRefused | None = None
) -> Response:
    is_on = has_app(tx, account_id)
    secret = None if is_on else pending_secret(tx, parts.secrets, account_id)
    link = setup_link(secret, tx.orm.get_one(Account, account_id).correo) if secret else ""
    return show_form(
        request,
        "portal/account/second_factor.html",
        PHRASES,
        wrong,
        is_on=is_on,
        is_demanded=request.query_params.get("hace_falta") == "1",
        secret=secret,
        qr=FileType.SVG.data_uri(symbol_of(link, "M").svg().encode()) if link else "",
    )


@routes.page(PASSKEY_PATH)
def passkeys_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    return _passkeys(request, reading, caller.account_id)


@routes.post(PASSKEY_PATH, pool=Pool.CLAVES)
def change_passkeys(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    browser: Browser,
    limiter: Limiter,
    now: Now,
    form: PostedForm,
) -> Response:
    """Beginning and removing take the clave. To end a beginning takes a challenge that was given after it."""
    account = db.orm.get_one(Account, caller.account_id)
    origin = parts.settings.passkey_origin
    challenges = Challenges(parts.secrets, origin, browser.secret or "", f"add:{account.id}")
    do, _, which = form.get("do", "").partition(":")
    name = form.get("nombre", "").strip()
    if do != "remove" and fault_in(NAME, name):
        return _passkeys(request, db, account.id, FieldRefused("nombre", "name_wrong"))
    try:
        if do == "add":
            is_first = not has_second_factor(db, account.id)
            add_passkey(db, challenges, account.id, form.get("credencial", ""), name, now)
            if not is_first:
                return go_to(request, PASSKEY_PATH)
            revoke_all(db, account.id, but=caller.token_id)  # They were opened without a second factor.
            codes = new_recovery_codes(db, parts.secrets, account.id)
            return show(request, "portal/account/recovery.html", PASSKEYS, codes=codes)
        confirm_own_clave(request, limiter, parts, caller, form)
    except (PasskeyRefused, FieldRefused) as refusal:
        wrong = refusal if isinstance(refusal, FieldRefused) else FieldRefused("clave", "passkey_refused")
        return _passkeys(request, db, account.id, wrong, name)
    if do == "remove" and which.isdecimal() and len(which) < 19:
        remove_passkey(db, account.id, int(which))
        forget_recovery_codes(db, account.id)
    if do != "begin":
        return go_to(request, PASSKEY_PATH)
    options = registration_options(db, challenges, account, now)
    return show(request, "portal/account/new_passkey.html", PASSKEYS, name=name, options=options, origin=origin)


def _passkeys(
    request: Request, tx: Reading, account_id: int, wrong: FieldRefused | None = None, name: str = ""
) -> Response:
    passkeys, day = passkeys_of(tx, account_id), day_texts(request, tx, account_id)
    return show_form(request, "portal/account/passkeys.html", PASSKEYS, wrong, passkeys=passkeys, day=day, name=name)
