"""The page with both ways to log in: correo and clave, or a passkey."""

from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.passkeys import Challenges, login_options
from ficha.http.browser import PageBrowser
from ficha.parts import Parts
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import safe_next
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "login")


def login_challenges(parts: Parts, browser: PageBrowser) -> Challenges:
    return Challenges(parts.secrets, parts.settings.passkey_origin, browser.secret or "", "login")


def login_form(
    request: Request,
    parts: Parts,
    browser: PageBrowser,
    wanted: str,
    now: datetime,
    *,
    correo: str = "",
    wrong: str | None = None,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> Response:
    """The clave is never sent back to a browser."""
    browser.begin()
    request.state.browser = browser
    faults = [FieldFault("correo", translator(language_of(request), PHRASES)(wrong))] if wrong else []
    response = show(
        request,
        "portal/account/login.html",
        PHRASES,
        status=status,
        headers=headers,
        wanted=safe_next(wanted, ""),
        correo=correo,
        faults=faults,
        options=login_options(login_challenges(parts, browser), now),
        origin=parts.settings.passkey_origin,
    )
    browser.set_cookies(response)
    return response
