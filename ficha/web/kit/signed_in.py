"""Pages for people who are logged in.

    routes = signed_in_routes("/admin")

    @routes.page("/lotes")
    def batches(request: Request, reading: Reading, staff: Staff) -> Response:
        return show(request, "console/batches.html", PHRASES, ...)

    @routes.post("/lotes")
    def new_batch(request: Request, db: Db, staff: Staff, form: PostedForm) -> Response: ...

Such a page asks for the same things as an operation: `Db`, `Reading`, `CurrentCaller`, `Staff`, `Admin`. One request is
one transaction, committed before the answer leaves. Who is not logged in is sent to /login and comes back afterwards;
what a form sent after the session had ended goes along, and is offered to be sent again (portal/account/login.py).
Every form that posts has `{{ csrf }}` inside (rendering.py); a post without it is refused before the function runs. A
form posts to the address of a page that can be opened: to it one comes back if the session ended meanwhile. A post that
changed something answers with `go_to`, so that loading the page again sends nothing twice.
"""

import re
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ficha.accounts.tokens import SecondFactorDemanded, Unauthenticated
from ficha.asgi.application import error_response
from ficha.asgi.bodies import SAFE_METHODS, ReadRequest
from ficha.asgi.routes import Routes
from ficha.asgi.served import Served
from ficha.core.errors import FichaError
from ficha.fmd.access import FmdNotFound
from ficha.http.browser import SESSION_COOKIE, PageBrowser
from ficha.http.callers import first_caller, presented_credentials
from ficha.http.dependencies import RequestTransaction
from ficha.http.login_limits import DEVICE_COOKIE
from ficha.parts import Parts
from ficha.web.kit.ended_access import ended_access_response
from ficha.web.kit.forms import read_long_form, read_upload_form
from ficha.web.kit.language import PARAMETER, asked_language

LOGIN = "/login"
# Where a form is sent on to that came without a session.
KEEPS_FORM = f"{LOGIN}/sigue"
# Where whoever must have a second factor sets one up.
SECOND_FACTOR = "/app/mi-cuenta/segundo"
# A path of ours and nothing that a browser could read as another host: `//evil`, `/\evil`, a tab inside.
OWN_PATH = re.compile(r"/(?![/\\])[A-Za-z0-9/_.~%?&=+,:@!$'()*;-]*")
MOST_LETTERS = 500


class ServedSignedIn(Served):
    """A page whose caller is known by the session cookie."""

    def prepare(self, request: ReadRequest) -> None:
        """Raises CsrfMismatch, or Unauthenticated for a post without a session."""
        browser = request.state.browser = PageBrowser(request, request.app.state.parts)
        if request.method not in SAFE_METHODS:
            if browser.secret is None:
                raise Unauthenticated
            browser.check_form(read_upload_form(request).texts if self._takes_files else read_long_form(request))
        super().prepare(request)

    def run(self, request: ReadRequest) -> Response:
        try:
            self.prepare(request)
            return self.call(request)
        except Unauthenticated:
            return to_login(request)
        except SecondFactorDemanded:
            return go_to(request, f"{SECOND_FACTOR}?hace_falta=1")
        except FmdNotFound as refusal:
            return ended_access_response(request) or error_response(request, refusal)
        except FichaError as error:
            return error_response(request, error)

    def call(self, request: ReadRequest) -> Response:
        parts: Parts = request.app.state.parts
        transaction = request.state.transaction = RequestTransaction(parts.database)
        try:
            response = super().call(request)
            transaction.commit()
        except FichaError as error:
            if error.keeps_changes:
                transaction.commit()
            raise
        finally:
            transaction.close()
        browser: PageBrowser = request.state.browser
        if browser.secret is not None and "set-cookie" not in response.headers:
            browser.set_cookies(response)  # They live as long as the session, which was just moved on.
        return response


def signed_in_routes(prefix: str = "") -> Routes:
    return Routes(prefix, served=ServedSignedIn, include_in_schema=False)


def go_to(request: Request, path: str) -> Response:
    """After a post: another page of ours, in the language that was asked for."""
    asked = asked_language(request)
    if asked is not None:
        path += ("&" if "?" in path else "?") + urlencode({PARAMETER: asked.value})
    return RedirectResponse(path, 303)


def is_signed_in(request: Request, parts: Parts) -> bool:
    """For a page that anybody may open."""
    presented = presented_credentials(PageBrowser(request, parts).secret, "")
    if not presented:
        return False
    with parts.database.reading() as tx:
        return first_caller(tx, presented, parts.clock.now(), staff_second_factor=False) is not None


def to_login(request: Request) -> Response:
    """Says there that a session had ended, if this browser ever had one. A form is sent on, by the browser itself."""
    here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    had_session = any(name in request.cookies for name in (SESSION_COOKIE, DEVICE_COOKIE))
    asked = urlencode({"next": here} | ({"fin": "1"} if had_session else {}))
    is_form = request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    if request.method in SAFE_METHODS or not is_form or not PageBrowser(request, request.app.state.parts).vouches():
        return go_to(request, f"{LOGIN}?{asked}")
    response = go_to(request, f"{KEEPS_FORM}?{asked}")
    response.status_code = 307
    return response


def safe_next(given: str, otherwise: str) -> str:
    """Where to go after logging in: a path of ours, never another site."""
    return given if len(given) <= MOST_LETTERS and OWN_PATH.fullmatch(given) else otherwise
