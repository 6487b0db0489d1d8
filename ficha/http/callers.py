"""Who is asking: the browser's session if there is one, else the bearer token."""

import hashlib
from contextlib import AbstractContextManager, nullcontext

from sqlalchemy.orm import Session
from starlette.requests import Request

from ficha.accounts.browser import caller_of_session, session_hash
from ficha.accounts.tokens import Caller, caller_with
from ficha.http.browser import Browser
from ficha.http.envelope import SAFE_METHODS
from ficha.parts import Parts


def bearer_of(request: Request) -> str | None:
    scheme, _, presented = request.headers.get("authorization", "").partition(" ")
    return presented.strip() if scheme.lower() == "bearer" and presented.strip() else None


def find_caller(request: Request, parts: Parts) -> Caller | None:
    """Read from the database every time: what another process revoked a moment ago is refused here."""
    now = parts.clock.now()
    browser: Browser = request.state.browser
    with _session(request, parts) as session:
        if browser.secret is not None:
            caller = caller_of_session(session, browser.secret, now)
            if caller is not None:
                parts.usage.note(caller.token_id, now, browser_hash=session_hash(browser.secret))
                return caller
        presented = bearer_of(request)
        caller = caller_with(session, presented, now) if presented else None
    if caller is not None:
        parts.usage.note(caller.token_id, now)
    return caller


def _session(request: Request, parts: Parts) -> AbstractContextManager[Session]:
    """A request that only reads needs no second connection; one that writes has not begun yet."""
    if request.method in SAFE_METHODS:
        return nullcontext(request.state.unit.reader)
    return parts.database.reading()


def scope_of(request: Request, parts: Parts) -> str | None:
    """Whose Idempotency-Keys these are. A known account keeps its keys when its token is renewed;
    a credential that is dead by now may still ask for the answer to its last request."""
    presented = bearer_of(request)
    if presented is None and request.state.browser.secret is None:
        return "public"
    caller = find_caller(request, parts)
    if caller is not None and not _ends_its_token(request):
        return f"account:{caller.account_id}"
    if presented is not None:
        return f"credential:{hashlib.sha256(presented.encode('utf-8', 'replace')).hexdigest()}"
    return None if caller is None else f"account:{caller.account_id}"


def _ends_its_token(request: Request) -> bool:
    """Renewal and logout: the retry arrives with a token that the first try has ended."""
    return request.url.path.endswith(("/auth/tokens", "/logout"))
