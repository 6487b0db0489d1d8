"""The second step of logging in, for an account with a second factor.

What the first step found out is sealed into the form, for this browser and for five minutes: the clave is not sent to
the browser and back, and nothing is stored for who never comes to the second step.
"""

import base64
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.browser import start_session
from ficha.accounts.second_factor import SecondFactorWrong
from ficha.accounts.tokens import issue_token
from ficha.core.crypto import Tampered
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import TooManyRequests
from ficha.http.login_limits import LoginLimits, check_second_factor
from ficha.http.routes import Routes
from ficha.parts import Parts
from ficha.web.kit.forms import Fault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import LOGIN, go_to, safe_next
from ficha.web.portal.login_phrases import PHRASES
from ficha.web.portal.start_pages import start_page

routes = Routes(include_in_schema=False)

PATH = f"{LOGIN}/codigo"
STEP_TIME = timedelta(minutes=5)
SECRETS_NAME = "login_step"


def second_step(request: Request, browser: PageBrowser, account_id: int, wanted: str, now: datetime) -> Response:
    """The form, after the right clave."""
    browser.begin()
    plain = f"{account_id}|{(now + STEP_TIME).timestamp()}".encode()
    sealed = request.app.state.parts.secrets.seal(SECRETS_NAME, plain, _place(browser))
    return _form(request, browser, base64.urlsafe_b64encode(sealed).decode(), wanted)


@routes.page(PATH)
def without_first_step(request: Request) -> Response:
    return go_to(request, LOGIN)


@routes.post(PATH)
def log_in_with_code(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    browser = PageBrowser(request, parts)
    step, wanted = form.get("paso", ""), form.get("next", "")
    try:
        browser.check_form(form)
        account_id = _account_in(parts, browser, step, now)
        if account_id is None:
            return go_to(request, LOGIN)
        limiter.hit_address(request, "login", address)
        with parts.database.writing() as session:
            account = session.get(Account, account_id)
            if account is None:
                return go_to(request, LOGIN)
            check_second_factor(request, limiter, parts.secrets, session, account_id, form.get("codigo", "")[:40], now)
            token = issue_token(session, account, now, parts.settings.token_minutes)
            secret = start_session(session, token, now, parts.settings.session_minutes)
            correo, start = account.correo, start_page(account)
    except CsrfMismatch:
        return go_to(request, LOGIN)
    except TooManyRequests as refusal:
        return _form(request, browser, step, wanted, "too_many", refusal.status)
    except SecondFactorWrong:
        return _form(request, browser, step, wanted, "second_wrong", 422)
    limits = LoginLimits(request, parts, limiter, correo, address)
    limits.forget()
    response = go_to(request, safe_next(wanted, start))
    limits.remember_device(response)
    browser.set_cookies(response, secret)
    return response


def _account_in(parts: Parts, browser: PageBrowser, step: str, now: datetime) -> int | None:
    """None if the first step is too old, or was another browser's."""
    try:
        plain = parts.secrets.unseal(SECRETS_NAME, base64.urlsafe_b64decode(step), _place(browser)).decode()
    except (ValueError, Tampered):
        return None
    account_id, _, ends = plain.partition("|")
    return int(account_id) if float(ends) > now.timestamp() else None


def _place(browser: PageBrowser) -> str:
    return f"login:{browser.secret}"


def _form(
    request: Request, browser: PageBrowser, step: str, wanted: str, wrong: str | None = None, status: int = 200
) -> Response:
    request.state.browser = browser
    faults = [Fault("codigo", translator(language_of(request), PHRASES)(wrong))] if wrong else []
    response = show(
        request,
        "portal/login/second.html",
        PHRASES,
        status=status,
        step=step,
        wanted=safe_next(wanted, ""),
        faults=faults,
    )
    browser.set_cookies(response)
    return response
