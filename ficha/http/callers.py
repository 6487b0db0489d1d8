"""Who is asking: the browser's session if there is one, else the bearer token."""

import hashlib
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from starlette.requests import Request

from ficha.accounts.browser_sessions import session_credential
from ficha.accounts.tokens import Caller, PresentedCredential, caller_by, token_credential
from ficha.asgi.bodies import SAFE_METHODS
from ficha.core.addresses import address_group
from ficha.core.transaction import Transaction
from ficha.http.browser import Browser
from ficha.http.client_address import address_of
from ficha.parts import Parts

# How the scope of a known account begins.
ACCOUNT_SCOPE = "account:"


def bearer_of(request: Request) -> str | None:
    return _bearer_in(request.headers.get("authorization", ""))


def presented_credentials(browser_secret: str | None, authorization: str) -> list[PresentedCredential]:
    """What a request shows to say who asks, in the order in which it counts: the browser's session, and for a session
    that ended the bearer token. Both lanes take the first that is good."""
    found = [] if browser_secret is None else [session_credential(browser_secret)]
    presented = _bearer_in(authorization)
    credential = None if presented is None else token_credential(presented)
    if credential is not None:
        found.append(credential)
    return found


def credentials_of(request: Request) -> list[PresentedCredential]:
    browser: Browser = request.state.browser
    return presented_credentials(browser.secret, request.headers.get("authorization", ""))


def first_caller(
    tx: Transaction, credentials: Iterable[PresentedCredential], now: datetime, *, staff_second_factor: bool
) -> tuple[Caller, PresentedCredential] | None:
    """Who shows the first credential that is good, and that credential."""
    for credential in credentials:
        caller = caller_by(tx, credential, now, staff_second_factor=staff_second_factor)
        if caller is not None:
            return caller, credential
    return None


def find_caller(request: Request, parts: Parts) -> Caller | None:
    """Read from the database every time: what another process revoked a moment ago is refused here."""
    now = parts.clock.now()
    with _transaction(request, parts) as tx:
        demanded = parts.settings.staff_second_factor
        found = first_caller(tx, credentials_of(request), now, staff_second_factor=demanded)
    if found is None:
        return None
    caller, credential = found
    parts.last_used.note(caller.token_id, now, browser_hash=credential.browser_hash)
    return caller


def _transaction(request: Request, parts: Parts) -> AbstractContextManager[Transaction]:
    """A request that only reads needs no second connection; one that writes has not begun yet."""
    if request.method in SAFE_METHODS:
        return nullcontext(request.state.transaction.reader)
    return parts.database.reading()


def _bearer_in(authorization: str) -> str | None:
    scheme, _, presented = authorization.partition(" ")
    if scheme != "Bearer" and scheme.lower() != "bearer":
        return None
    return presented.strip() or None


def scope_of(request: Request, parts: Parts) -> str | None:
    """Whose Idempotency-Keys these are. A known account keeps its keys when its token is renewed; a credential that is
    dead by now may still ask for the answer to its last request. Strangers have theirs by address, so that nobody can
    use up the key of another's login or alert."""
    presented = bearer_of(request)
    if presented is None and request.state.browser.secret is None:
        return f"address:{address_group(address_of(request, request.app.state.trusted_proxies))}"
    caller = find_caller(request, parts)
    if caller is not None and not _ends_its_token(request):
        return f"{ACCOUNT_SCOPE}{caller.account_id}"
    if presented is not None:
        return f"credential:{hashlib.sha256(presented.encode('utf-8', 'replace')).hexdigest()}"
    return None if caller is None else f"{ACCOUNT_SCOPE}{caller.account_id}"


def _ends_its_token(request: Request) -> bool:
    """Renewal and logout: the retry arrives with a token that the first try has ended."""
    return request.url.path.endswith(("/auth/tokens", "/logout"))
