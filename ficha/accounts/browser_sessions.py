"""Browser sessions: a cookie that stands for a token, so that no script on our pages has to hold one."""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, ForeignKey, LargeBinary, and_, bindparam, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account, Token
from ficha.accounts.tokens import CALLER_COLUMNS, NOW, IssuedToken, PresentedCredential, Query, account_exists
from ficha.core.db import Base, Utc
from ficha.core.ids import random_text
from ficha.core.transaction import Transaction

SECRET_LENGTH = 43


class BrowserSession(Base):
    """Exists from login to logout. Revoking its token ends it, wherever that happens."""

    __tablename__ = "browser_sessions"

    hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(Utc)


def new_secret() -> str:
    return random_text(SECRET_LENGTH)


def start_session(tx: Transaction, token: IssuedToken, now: datetime, minutes: int) -> str:
    """Returns the cookie's secret: a new one at every login, so that one planted before it is useless."""
    secret = new_secret()
    tx.orm.add(
        BrowserSession(hash=session_hash(secret), token_id=token.id, expires_at=now + timedelta(minutes=minutes))
    )
    return secret


def session_is_live(now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    """The session's own expiry counts, not the token's: it is moved on while the person is there."""
    return and_(BrowserSession.expires_at > now, account_exists(now))


CALLER_BY_SESSION: Query = (
    select(BrowserSession.hash, *CALLER_COLUMNS)
    .select_from(BrowserSession)
    .join(Token, Token.id == BrowserSession.token_id)
    .join(Account, Account.id == Token.account_id)
    .where(BrowserSession.hash == bindparam("key"), session_is_live(NOW))
)


def session_credential(secret: str) -> PresentedCredential:
    hashed = session_hash(secret)
    return PresentedCredential(CALLER_BY_SESSION, hashed, hashed, is_session=True)


def prune_sessions(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(BrowserSession).where(BrowserSession.expires_at < now))


def session_hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
