"""The second step of logging in, for an account with a second factor.

What the first step found out is sealed into the form, for this browser and for five minutes: the clave is not sent to
the browser and back, and nothing is stored for who never comes to the second step.
"""

import base64
from datetime import datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.passkeys import Challenges, PasskeyRefused, login_options, passkeys_of
from ficha.accounts.second_factor import SecondFactorWrong
from ficha.accounts.statements import has_app
from ficha.accounts.tokens import issue_token
from ficha.asgi.routes import Routes
from ficha.core.crypto import Tampered
from ficha.core.transaction import Transaction
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits, check_second_factor, check_second_passkey
from ficha.parts import Parts
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import LOGIN, go_to, safe_next
from ficha.web.kit.texts import page_texts
from ficha.web.portal.account.session_start import begin_session

PHRASES = page_texts("portal", "login")

routes = Routes(include_in_schema=False)

PATH = f"{LOGIN}/codigo"
STEP_TIME = timedelta(minutes=5)
SECRETS_NAME = "login_step"


def second_step(
    request: Request,
    parts: Parts,
    tx: Transaction,
    browser: PageBrowser,
    account_id: int,
    wanted: str,
    now: datetime,
) -> Response:
    """The form, after the right clave."""
    browser.begin()
    plain = f"{account_id}|{(now + STEP_TIME).timestamp()}".encode()
    sealed = parts.secrets.seal(SECRETS_NAME, plain, _place(browser))
    step = base64.urlsafe_b64encode(sealed).decode()
    return _form(request, parts, tx, browser, account_id, step, wanted, now)


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
    except CsrfMismatch:
        return go_to(request, LOGIN)
    account_id = _account_in(parts, browser, step, now)
    with parts.database.writing() as tx:
        account = None if account_id is None else tx.orm.get(Account, account_id)
        if account is None:
            return go_to(request, LOGIN)
        try:
            limiter.hit_address(request, RateLimit.LOGIN, address)
            if answer := form.get("credencial", ""):
                challenges = _challenges(parts, browser, account.id)
                check_second_passkey(request, limiter, challenges, tx, account.id, answer, now)
            else:
                typed = form.get("codigo", "")[:40]
                check_second_factor(request, limiter, parts.secrets, tx, account.id, typed, now)
        except TooManyRequests as refusal:
            wrong, status = "too_many", refusal.status
        except SecondFactorWrong:
            wrong, status = "second_wrong", 422
        except PasskeyRefused:
            wrong, status = "passkey_refused", 422
        else:
            token = issue_token(tx, account, now, parts.settings.token_minutes)
            limits = LoginLimits(request, parts, limiter, account.correo, address)
            return begin_session(tx, limits, browser, account, token, wanted, now)
        return _form(request, parts, tx, browser, account.id, step, wanted, now, wrong, status)


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


def _challenges(parts: Parts, browser: PageBrowser, account_id: int) -> Challenges:
    return Challenges(parts.secrets, parts.settings.passkey_origin, browser.secret or "", f"second:{account_id}")


def _form(
    request: Request,
    parts: Parts,
    tx: Transaction,
    browser: PageBrowser,
    account_id: int,
    step: str,
    wanted: str,
    now: datetime,
    wrong: str | None = None,
    status: int = 200,
) -> Response:
    request.state.browser = browser
    faults = [FieldFault("codigo", translator(language_of(request), PHRASES)(wrong))] if wrong else []
    known = passkeys_of(tx, account_id)
    response = show(
        request,
        "portal/account/login_second_step.html",
        PHRASES,
        status=status,
        step=step,
        wanted=safe_next(wanted, ""),
        has_app=has_app(tx, account_id),
        options=login_options(_challenges(parts, browser, account_id), now, known) if known else None,
        origin=parts.settings.passkey_origin,
        faults=faults,
    )
    browser.set_cookies(response)
    return response
