"""Cookies for our own front ends: a session cookie, and a CSRF token that only their scripts can read.

The rules are those of Laravel Sanctum. For the API they apply only to requests whose Referer or Origin is one of our
front ends; pages have theirs in PageBrowser.
"""

import base64
import hmac
from collections.abc import Mapping
from urllib.parse import quote, unquote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.browser_sessions import SECRET_LENGTH, new_secret
from ficha.asgi.bodies import SAFE_METHODS
from ficha.core.crypto import Tampered
from ficha.core.errors import FichaError
from ficha.parts import Parts

SESSION_COOKIE = "ficha_session"
XSRF_COOKIE = "XSRF-TOKEN"
XSRF_CONTEXT = "xsrf"
# The field of our forms that says which session they were shown to.
FORM_TOKEN = "_token"  # noqa: S105


class CsrfMismatch(FichaError):
    status = 419
    code = "csrf_no_coincide"
    message = "La página venció. Recárguela y vuelva a intentar."


class Browser:
    """The browser behind one request. `secret` is its session's secret, if it has one and its page is one of ours."""

    def __init__(self, request: Request, parts: Parts) -> None:
        self._request = request
        self._parts = parts
        self.is_own_page = _comes_from(request, parts.settings.browser_hosts)
        self.secret = _presented_secret(request) if self.is_own_page else None

    def check_csrf(self) -> None:
        """Raises CsrfMismatch for a change that another site could have caused."""
        if not self.is_own_page or self._request.method in SAFE_METHODS:
            return
        if self._request.headers.get("sec-fetch-site") == "same-origin":
            return  # The browser itself vouches for it, and no script can set this header.
        if self.secret is None or not self._token_matches(self.secret):
            raise CsrfMismatch

    def set_cookies(self, response: Response, secret: str | None = None) -> None:
        """Sets the session cookie and the CSRF token that belongs to it."""
        self.secret = secret or self.secret or new_secret()
        settings = self._parts.settings
        age = settings.session_minutes * 60
        shared = {"max_age": age, "path": "/", "secure": settings.is_https, "samesite": "lax"}
        response.set_cookie(SESSION_COOKIE, self.secret, httponly=True, **shared)  # type: ignore[arg-type]
        sealed = self._parts.secrets.seal("cookies", self._token(self.secret).encode(), XSRF_CONTEXT)
        response.set_cookie(XSRF_COOKIE, quote(base64.b64encode(sealed).decode(), safe=""), httponly=False, **shared)  # type: ignore[arg-type]

    def clear_cookies(self, response: Response) -> None:
        response.delete_cookie(SESSION_COOKIE, path="/")
        response.delete_cookie(XSRF_COOKIE, path="/")
        self.secret = None

    def form_token(self) -> str:
        """What a form of ours carries in `_token`, and a script may send as X-CSRF-TOKEN."""
        return self._token(self.secret) if self.secret else ""

    def _token_matches(self, secret: str) -> bool:
        plain = self._request.headers.get("x-csrf-token")
        if plain is None:
            plain = self._unsealed(self._request.headers.get("x-xsrf-token", ""))
        return hmac.compare_digest(plain.encode("utf-8", "replace"), self._token(secret).encode())

    def _unsealed(self, header: str) -> str:
        try:
            sealed = base64.b64decode(unquote(header), validate=True)
            return self._parts.secrets.unseal("cookies", sealed, XSRF_CONTEXT).decode()
        except (ValueError, Tampered):
            return ""

    def _token(self, secret: str) -> str:
        """Derived from the session, so it needs no store and fits no other session."""
        return self._parts.secrets.keyed_hash("csrf", secret).hex()


class PageBrowser(Browser):
    """The browser behind a page. People open pages from the address bar and from mails, where no page of ours comes
    before: the cookie counts without a Referer. Another site can send people here, but reads nothing of the answer;
    what it makes them post brings no cookie (SameSite=Lax), and no `_token` that fits."""

    def __init__(self, request: Request, parts: Parts) -> None:
        super().__init__(request, parts)
        self.is_own_page = True
        self.secret = _presented_secret(request)

    def vouches(self) -> bool:
        """Whether the browser itself says that a page of ours sent this, where no token can."""
        said = self._request.headers.get("sec-fetch-site")
        return said == "same-origin" if said else _comes_from(self._request, self._parts.settings.browser_hosts)

    def begin(self) -> None:
        """Before a form is shown to somebody who has no session: its `_token` needs a secret to belong to."""
        self.secret = self.secret or new_secret()

    def check_form(self, form: Mapping[str, str]) -> None:
        """Raises CsrfMismatch for a posted form that is not from a page of ours."""
        if self._request.headers.get("sec-fetch-site") == "same-origin":
            return
        given = form.get(FORM_TOKEN, "").encode("utf-8", "replace")
        if self.secret is None or not hmac.compare_digest(given, self.form_token().encode()):
            raise CsrfMismatch


class NoBrowser:
    """For operations that no page of ours calls."""

    secret: str | None = None


def _presented_secret(request: Request) -> str | None:
    presented = request.cookies.get(SESSION_COOKIE, "")
    well_formed = len(presented) == SECRET_LENGTH and presented.isascii() and presented.isalnum()
    return presented if well_formed else None


def _comes_from(request: Request, hosts: frozenset[str]) -> bool:
    source = request.headers.get("referer") or request.headers.get("origin") or ""
    try:
        return bool(source) and urlsplit(source).netloc.lower() in hosts
    except ValueError:
        return False
