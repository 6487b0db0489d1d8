"""Who asks, and what they may see: the same rules as the other lane's, on the row that one statement brought."""

import hmac
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from starlette.requests import Request

from ficha.accounts.browser import session_hash
from ficha.accounts.tokens import Unauthenticated, parse_token
from ficha.core.crypto import Keyring, Wrapped
from ficha.fastlane.statements import WAY, Statements, Values
from ficha.fastlane.stores import Row, Store
from ficha.fmd import access
from ficha.fmd.access import FmdNotFound, Rights
from ficha.fmd.base import Door
from ficha.http.browser import Browser
from ficha.parts import Parts

WAY_COLUMNS = len(WAY)


class ReadLog(Protocol):
    """Where a look at a record is written down before it is answered. OSError when it cannot be."""

    def note(
        self, record_id: int, actor: str, action: str, what: Sequence[str], at: datetime, *, via: str, origin: str
    ) -> None: ...


class Caller(NamedTuple):
    """What the statement found for a caller who is who she says."""

    token_id: int
    rows: Sequence[Row]
    browser: Browser | None


class Way(NamedTuple):
    """The record as this caller may see it."""

    account_id: int
    record_id: int
    via: str
    rights: Rights
    wrapped: Wrapped

    @property
    def sees_all(self) -> bool:
        return self.rights.door is Door.P

    def key(self, keyring: Keyring) -> bytes:
        return keyring.unwrap(self.wrapped, f"record:{self.record_id}")  # As Record.key_place.


async def find_caller(
    scope: Any,
    headers: dict[bytes, bytes],
    parts: Parts,
    store: Store,
    statements: Statements,
    now: datetime,
    values: Values,
) -> Caller:
    """The browser's session if there is one, else the bearer token, as in http/callers.py.

    Only who sends a dead session beside a bearer token costs a second statement.
    """
    browser: Browser | None = None
    if b"cookie" in headers and (b"referer" in headers or b"origin" in headers):
        browser = Browser(Request(scope), parts)
        if browser.secret is None:
            browser = None
        else:
            hashed = session_hash(browser.secret)
            rows = await store.rows(statements.browser, (hashed, *values))
            if rows:
                token_id: int = rows[0][0]
                parts.usage.note(token_id, now, browser_hash=hashed)
                return Caller(token_id, rows, browser)
    scheme, _, presented = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    parsed = parse_token(presented.strip()) if scheme.lower() == "bearer" else None
    if parsed is None:
        raise Unauthenticated
    rows = await store.rows(statements.bearer, (parsed[0], *values))
    if not rows or not hmac.compare_digest(rows[0][1], parsed[1]):
        raise Unauthenticated
    parts.usage.note(parsed[0], now)
    return Caller(parsed[0], rows, browser)


def way_in(row: Row) -> Way:
    _, _, account_id, record_id, owner_id, kind, edits, key_id, wrapped_key = row[:WAY_COLUMNS]
    if record_id is None or key_id is None or wrapped_key is None:
        raise FmdNotFound
    via, rights = access.way_in(account_id, owner_id, kind, edits)
    return Way(account_id, record_id, via, rights, Wrapped(key_id, wrapped_key))
