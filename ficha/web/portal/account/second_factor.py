"""Setting up the second factor of one's account: scan, type a first code, keep the recovery codes."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.login import WrongOwnClave
from ficha.accounts.second_factor import (
    SecondFactorWrong,
    begin_setup,
    confirm_setup,
    pending_secret,
    remove_app,
    setup_link,
)
from ficha.accounts.statements import has_app
from ficha.accounts.tokens import revoke_all
from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.cards.qr import symbol_of
from ficha.http.dependencies import CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import confirm_clave
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import SECOND_FACTOR as PATH
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "second_factor")

routes = signed_in_routes(PATH)


@routes.page("")
def second_factor_page(request: Request, reading: Reading, parts: Parts, caller: CurrentCaller) -> Response:
    is_on = has_app(reading, caller.account_id)
    secret = None if is_on else pending_secret(reading, parts.secrets, caller.account_id)
    return _page(request, reading.orm.get_one(Account, caller.account_id), secret, is_on=is_on)


@routes.post("", pool=Pool.CLAVES)
def change_second_factor(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, now: Now, form: PostedForm
) -> Response:
    """Beginning and ending take the clave: whoever finds an open session must not shut its owner out."""
    account = db.orm.get_one(Account, caller.account_id)
    do, is_on = form.get("do"), has_app(db, account.id)
    secret = None if is_on else pending_secret(db, parts.secrets, account.id)
    if do == "confirm" and secret is not None:
        try:
            limiter.hit(request, RateLimit.LOGIN_ACCOUNT, f"second:{account.id}")
            codes = confirm_setup(db, parts.secrets, account.id, form.get("codigo", "")[:40], now)
        except (SecondFactorWrong, TooManyRequests) as refusal:
            return _page(request, account, secret, is_on=False, wrong=("codigo", refusal))
        revoke_all(db, account.id, but=caller.token_id)  # They were opened without it.
        return show(request, "portal/account/recovery.html", PHRASES, codes=codes)
    try:
        confirm_clave(request, limiter, parts, caller, form.get("clave", "")[:128])
    except (WrongOwnClave, TooManyRequests) as refusal:
        return _page(request, account, secret, is_on=is_on, wrong=("clave", refusal))
    if do == "begin" and not is_on:
        begin_setup(db, parts.secrets, account.id, now)
    elif do == "remove":
        remove_app(db, account.id)
    return go_to(request, PATH)


SENTENCES = {WrongOwnClave: "clave_wrong", SecondFactorWrong: "second_wrong", TooManyRequests: "too_many"}


def _page(
    request: Request,
    account: Account,
    secret: str | None,
    *,
    is_on: bool,
    wrong: tuple[str, Exception] | None = None,
) -> Response:
    t = translator(language_of(request), PHRASES)
    faults = [FieldFault(wrong[0], t(SENTENCES[type(wrong[1])]))] if wrong else []
    link = setup_link(secret, account.correo) if secret else ""
    return show(
        request,
        "portal/account/second_factor.html",
        PHRASES,
        status=422 if wrong else 200,
        is_on=is_on,
        is_demanded=request.query_params.get("hace_falta") == "1",
        secret=secret,
        qr=FileType.SVG.data_uri(symbol_of(link, "M").svg().encode()) if link else "",
        faults=faults,
    )
