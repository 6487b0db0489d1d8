"""Logging in on a page. Limits, sentences and duration are those of the API: nothing tells which correos exist."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.browser import start_session
from ficha.accounts.login import WrongClave, check_clave, log_in
from ficha.accounts.second_factor import has_second_factor
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.http.routes import Routes
from ficha.http.threads import Pool
from ficha.web.kit.forms import Fault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import LOGIN, go_to, safe_next
from ficha.web.portal.login_phrases import PHRASES
from ficha.web.portal.login_second_step import second_step
from ficha.web.portal.start_pages import start_page

routes = Routes(include_in_schema=False)

MOST_CORREO, MOST_CLAVE = 254, 128


@routes.page(LOGIN)
def login_page(request: Request, parts: AskedParts) -> Response:
    return _form(request, PageBrowser(request, parts), request.query_params.get("next", ""))


@routes.post(LOGIN, pool=Pool.CLAVES)
def log_in_on_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    """The session gets a new secret, so that one that was planted before is worth nothing."""
    browser = PageBrowser(request, parts)
    wanted = form.get("next", "")
    correo = form.get("correo", "").strip()[:MOST_CORREO]
    clave = form.get("clave", "")[:MOST_CLAVE]
    limits = LoginLimits(request, parts, limiter, correo, address)
    try:
        browser.check_form(form)
        limiter.hit_address(request, "login", address)
        limits.count()
        account_id = check_clave(parts.database, correo, clave, now)
        with parts.database.writing() as session:
            if has_second_factor(session, account_id):
                return second_step(request, browser, account_id, wanted, now)
            account, token = log_in(session, account_id, clave, now, parts.settings.token_minutes)
            secret = start_session(session, token, now, parts.settings.session_minutes)
            start = start_page(account)
    except CsrfMismatch as refusal:
        return _form(request, browser, wanted, correo, "page_too_old", refusal.status)
    except TooManyRequests as refusal:
        return _form(request, browser, wanted, correo, "too_many", refusal.status, dict(refusal.headers))
    except WrongClave:
        return _form(request, browser, wanted, correo, "wrong", 422)
    limits.forget()
    response = go_to(request, safe_next(wanted, start))
    limits.remember_device(response)
    browser.set_cookies(response, secret)
    return response


def _form(
    request: Request,
    browser: PageBrowser,
    wanted: str,
    correo: str = "",
    wrong: str | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """The clave is never sent back to a browser."""
    browser.begin()
    request.state.browser = browser
    faults = [Fault("correo", translator(language_of(request), PHRASES)(wrong))] if wrong else []
    response = show(
        request,
        "portal/login/login.html",
        PHRASES,
        status=status,
        headers=headers,
        wanted=safe_next(wanted, ""),
        correo=correo,
        faults=faults,
    )
    browser.set_cookies(response)
    return response
