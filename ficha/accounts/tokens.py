"""Bearer tokens: `<ID>|<SECRET>`, of which only the secret's SHA-256 is stored. A revoked token is a deleted row."""

import hashlib
import hmac
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, ForeignKey, LargeBinary, String, bindparam, delete, select
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.accounts.accounts import Account, Role
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.ids import random_text

SECRET_LETTERS = 40
MAX_ID = 2**63 - 1


class Token(Base):
    __tablename__ = "tokens"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    session_key: Mapped[str] = mapped_column(String(12), index=True)
    created_at: Mapped[datetime] = mapped_column(Utc)
    expires_at: Mapped[datetime] = mapped_column(Utc, index=True)
    last_used_at: Mapped[datetime | None] = mapped_column(Utc)


class Unauthenticated(FichaError):
    """One sentence for every cause: no token, a bad one, an expired one, a revoked one."""

    status = 401
    code = "no_autenticado"
    message = "Hace falta una sesión vigente. Inicie sesión y envíe el token en Authorization: Bearer."
    headers = {"WWW-Authenticate": 'Bearer realm="ficha"'}  # noqa: RUF012


@dataclass(frozen=True)
class Caller:
    """Who is asking, as the door found out. Plain values: no query hides behind them."""

    account_id: int
    token_id: int
    session_key: str
    roles: frozenset[str]

    def has(self, role: Role) -> bool:
        return role in self.roles or Role.ADMIN in self.roles


@dataclass(frozen=True)
class IssuedToken:
    """A token at the only moment it is known in clear."""

    id: int
    text: str
    session_key: str
    expires_at: datetime


def issue_token(
    session: Session, account: Account, now: datetime, minutes: int, *, session_key: str | None = None
) -> IssuedToken:
    letters = random_text(SECRET_LETTERS)
    # The checksum lets secret scanners recognise a leaked token; nobody relies on it.
    secret = f"{letters}{zlib.crc32(letters.encode()):08x}"
    token = Token(
        account_id=account.id,
        hash=secret_hash(secret),
        session_key=session_key or random_text(12),
        created_at=now,
        expires_at=now + timedelta(minutes=minutes),
    )
    session.add(token)
    session.flush()
    return IssuedToken(token.id, f"{token.id}|{secret}", token.session_key, token.expires_at)


# Built once: building it takes longer than running it.
_BY_ID = (
    select(Token.hash, Token.expires_at, Token.account_id, Token.session_key, Account.roles, Account.vanishes_at)
    .join(Account, Account.id == Token.account_id)
    .where(Token.id == bindparam("token_id"))
)


def caller_with(session: Session, presented: str, now: datetime) -> Caller | None:
    """One query by id, a constant-time comparison, then the expiry."""
    parsed = parse_token(presented)
    if parsed is None:
        return None
    token_id, presented_hash = parsed
    row = session.execute(_BY_ID, {"token_id": token_id}).one_or_none()
    if row is None or not hmac.compare_digest(row.hash, presented_hash):
        return None
    if row.expires_at <= now or (row.vanishes_at is not None and row.vanishes_at <= now):
        return None
    return Caller(row.account_id, token_id, row.session_key, frozenset(row.roles))


def parse_token(presented: str) -> tuple[int, bytes] | None:
    token_id, bar, secret = presented.partition("|")
    if not bar or not secret or not (token_id.isascii() and token_id.isdigit()) or len(token_id) > 19:
        return None
    number = int(token_id)
    return (number, secret_hash(secret)) if number <= MAX_ID else None


def secret_hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def tokens_of(session: Session, account_id: int, now: datetime, *, after: int, limit: int) -> list[Token]:
    """Live tokens, newest first, below the id `after`."""
    return list(
        session.scalars(
            select(Token)
            .where(Token.account_id == account_id, Token.expires_at > now, Token.id < after)
            .order_by(Token.id.desc())
            .limit(limit)
        )
    )


def renew_token(session: Session, caller: Caller, now: datetime, minutes: int) -> tuple[Account, IssuedToken]:
    """A new token for the same session. Of two renewals at once, one wins and the other finds its token gone."""
    if not _deleted(session, Token.id == caller.token_id):
        raise Unauthenticated
    account = session.get_one(Account, caller.account_id)
    return account, issue_token(session, account, now, minutes, session_key=caller.session_key)


def revoke_token(session: Session, account_id: int, token_id: int) -> None:
    """Somebody else's token and none at all are the same 404."""
    if not _deleted(session, Token.id == token_id, Token.account_id == account_id):
        raise NotFound


def revoke_all(session: Session, account_id: int, *, but: int | None = None) -> int:
    others = [] if but is None else [Token.id != but]
    return _deleted(session, Token.account_id == account_id, *others)


def prune_expired(session: Session, now: datetime) -> int:
    return _deleted(session, Token.expires_at < now - timedelta(hours=24))


def _deleted(session: Session, *where: ColumnElement[bool]) -> int:
    result = session.execute(delete(Token).where(*where))
    assert isinstance(result, CursorResult)
    return result.rowcount
