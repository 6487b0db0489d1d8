"""Logging in on a page. Limits, sentences and duration are those of the API: nothing tells which correos exist."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.login import WrongClave, check_clave, log_in
from ficha.accounts.statements import has_second_factor
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.signed_in import LOGIN
from ficha.web.portal.account.login_form import login_form
from ficha.web.portal.account.login_second_step import second_step
from ficha.web.portal.account.session_start import begin_session

routes = Routes(include_in_schema=False)

MOST_CORREO, MOST_CLAVE = 254, 128


@routes.page(LOGIN)
def login_page(request: Request, parts: AskedParts, now: Now) -> Response:
    return login_form(request, parts, PageBrowser(request, parts), request.query_params.get("next", ""), now)


@routes.post(LOGIN, pool=Pool.CLAVES)
def log_in_on_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    browser = PageBrowser(request, parts)
    wanted = form.get("next", "")
    correo = form.get("correo", "").strip()[:MOST_CORREO]
    clave = form.get("clave", "")[:MOST_CLAVE]
    limits = LoginLimits(request, parts, limiter, correo, address)
    try:
        browser.check_form(form)
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limits.count()
        account_id = check_clave(parts.database, correo, clave, now)
        with parts.database.writing() as tx:
            if has_second_factor(tx, account_id):
                return second_step(request, parts, tx, browser, account_id, wanted, now)
            account, token = log_in(tx, account_id, clave, now, parts.settings.token_minutes)
            return begin_session(tx, limits, browser, account, token, wanted, now)
    except CsrfMismatch as refusal:
        wrong, status, headers = "page_too_old", refusal.status, {}
    except TooManyRequests as refusal:
        wrong, status, headers = "too_many", refusal.status, dict(refusal.headers)
    except WrongClave:
        wrong, status, headers = "wrong", 422, {}
    return login_form(request, parts, browser, wanted, now, correo=correo, wrong=wrong, status=status, headers=headers)
