"""The end of every way to log in on a page: the session begins, and the device is remembered."""

from datetime import datetime

from starlette.responses import Response

from ficha.accounts.accounts import Account, Role
from ficha.accounts.browser_sessions import start_session
from ficha.accounts.tokens import IssuedToken
from ficha.core.transaction import Transaction
from ficha.http.browser import PageBrowser
from ficha.http.login_limits import LoginLimits
from ficha.web.kit.signed_in import go_to, safe_next

APP, CONSOLE = "/app", "/admin"


def start_page(account: Account) -> str:
    """Staff have theirs."""
    return CONSOLE if {Role.STAFF, Role.ADMIN} & set(account.roles) else APP


def begin_session(
    tx: Transaction,
    limits: LoginLimits,
    browser: PageBrowser,
    account: Account,
    token: IssuedToken,
    wanted: str,
    now: datetime,
) -> Response:
    """The session gets a new secret, so that one that was planted before is worth nothing."""
    secret = start_session(tx, token, now, limits.parts.settings.session_minutes)
    limits.forget()
    response = go_to(limits.request, safe_next(wanted, start_page(account)))
    limits.remember_device(response)
    browser.set_cookies(response, secret)
    return response
