"""Logging out on a page: the session ends everywhere, and the device forgets what it kept of us."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import revoke_token
from ficha.http.dependencies import Browser, CurrentCaller, Db
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "login")

routes = signed_in_routes()

# Kept pages, drafts, and whatever else a script put aside on this device.
FORGET = '"cache", "storage"'


@routes.page("/logout")
def logout_page(request: Request, _caller: CurrentCaller) -> Response:
    """A link may lead here, so it asks first."""
    return show(request, "portal/account/logout.html", PHRASES)


@routes.post("/logout")
def log_out(request: Request, db: Db, caller: CurrentCaller, browser: Browser) -> Response:
    revoke_token(db, caller.account_id, caller.token_id)
    response = go_to(request, "/")
    response.headers["Clear-Site-Data"] = FORGET
    browser.clear_cookies(response)
    return response
