"""Logging in with a passkey alone: the device has made sure who it is, so nothing else is asked for."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.passkeys import PasskeyRefused, spend_passkey
from ficha.accounts.tokens import issue_token
from ficha.asgi.routes import Routes
from ficha.http.browser import CsrfMismatch, PageBrowser
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.http.login_limits import LoginLimits
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.signed_in import LOGIN, go_to
from ficha.web.portal.account.login_form import login_challenges, login_form
from ficha.web.portal.account.session_start import begin_session

routes = Routes(include_in_schema=False)

PATH = f"{LOGIN}/llave"


@routes.page(PATH)
def passkey_page(request: Request) -> Response:
    return go_to(request, LOGIN)


@routes.post(PATH)
def log_in_with_passkey(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, form: PostedForm
) -> Response:
    browser = PageBrowser(request, parts)
    wanted = form.get("next", "")
    try:
        browser.check_form(form)
        limiter.hit_address(request, RateLimit.LOGIN, address)
        challenges = login_challenges(parts, browser)
        with parts.database.writing() as tx:
            account = tx.orm.get_one(Account, spend_passkey(tx, challenges, form.get("credencial", ""), now))
            limits = LoginLimits(request, parts, limiter, account.correo, address)
            token = issue_token(tx, account, now, parts.settings.token_minutes)
            return begin_session(tx, limits, browser, account, token, wanted, now)
    except (CsrfMismatch, PasskeyRefused):
        return login_form(request, parts, browser, wanted, now, wrong="passkey_refused", status=422)
    except TooManyRequests as refusal:
        return login_form(
            request, parts, browser, wanted, now, wrong="too_many", status=refusal.status, headers=dict(refusal.headers)
        )
