"""The selects that find who is asking, built once, with values that are given by name. `statements.py` prepares them;
the fast lane adds what it shows and compiles them."""

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, and_, bindparam, or_, select

from ficha.accounts.accounts import Account, BrowserSession, Token
from ficha.core.db import Utc

Query = Select[*tuple[Any, ...]]

# The moment for which they are asked.
NOW = bindparam("now", type_=Utc())


def account_exists(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    """False for an account of the test registration whose time is over, though its row is not deleted yet."""
    return or_(Account.vanishes_at.is_(None), Account.vanishes_at > now)


def token_is_live(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    return and_(Token.expires_at > now, account_exists(now))


def session_is_live(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    """The session's own expiry counts, not the token's: it is moved on while the person is there."""
    return and_(BrowserSession.expires_at > now, account_exists(now))


class CallerRow(NamedTuple):
    """The hash of the secret that must be shown, and what a Caller is made of."""

    hash: bytes
    id: int
    account_id: int
    session_key: str
    roles: list[str]


# What a select for a caller begins with, after the hash.
CALLER_COLUMNS = (Token.id, Token.account_id, Token.session_key, Account.roles)
CALLER_BY_TOKEN: Query = (
    select(Token.hash, *CALLER_COLUMNS)
    .join(Account, Account.id == Token.account_id)
    .where(Token.id == bindparam("key"), token_is_live(NOW))
)
CALLER_BY_SESSION: Query = (
    select(BrowserSession.hash, *CALLER_COLUMNS)
    .select_from(BrowserSession)
    .join(Token, Token.id == BrowserSession.token_id)
    .join(Account, Account.id == Token.account_id)
    .where(BrowserSession.hash == bindparam("key"), session_is_live(NOW))
)
