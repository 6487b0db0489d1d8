"""Whether the sessions behind open streams still live: asked again and again, for all of them at once."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, Role
from ficha.accounts.browser import BrowserSession, caller_of_session, session_hash
from ficha.accounts.tokens import Caller, Token, Unauthenticated, caller_with

T = TypeVar("T")

BITE = 500


class Credential(NamedTuple):
    """What a stream was opened with. `browser` is set when a cookie stood for the token."""

    token_id: int
    is_staff: bool
    browser: bytes | None = None


def caller_and_credential(
    session: Session, secret: str | None, presented: str | None, now: datetime
) -> tuple[Caller, Credential]:
    """The browser's session if there is one, else the bearer token, as in http/callers.py."""
    browser = None
    caller = caller_of_session(session, secret, now) if secret is not None else None
    if caller is not None and secret is not None:
        browser = session_hash(secret)
    elif presented is not None:
        caller = caller_with(session, presented, now)
    if caller is None:
        raise Unauthenticated
    return caller, Credential(caller.token_id, caller.has(Role.STAFF), browser)


def living(session: Session, credentials: Collection[Credential], now: datetime) -> set[Credential]:
    """By the rules of the door: accounts.tokens.caller_with, accounts.browser.caller_of_session. Who became staff,
    or is no longer, has to come in again."""
    tokens: dict[int, bool] = {}
    fresh: set[int] = set()
    for ids in _bites([one.token_id for one in credentials]):
        for row in session.execute(
            select(Token.id, Token.expires_at, Account.vanishes_at, Account.roles)
            .join(Account, Account.id == Token.account_id)
            .where(Token.id.in_(ids))
        ):
            tokens[row.id] = Role.STAFF in row.roles or Role.ADMIN in row.roles
            if row.expires_at > now and (row.vanishes_at is None or row.vanishes_at > now):
                fresh.add(row.id)
    browsers: set[bytes] = set()
    for hashes in _bites([one.browser for one in credentials if one.browser is not None]):
        browsers.update(
            session.scalars(
                select(BrowserSession.hash).where(BrowserSession.hash.in_(hashes), BrowserSession.expires_at > now)
            )
        )
    return {
        one
        for one in credentials
        if tokens.get(one.token_id) == one.is_staff
        and (one.token_id in fresh if one.browser is None else one.browser in browsers)
    }


def _bites(things: list[T]) -> Iterator[list[T]]:
    for start in range(0, len(things), BITE):
        yield things[start : start + BITE]
