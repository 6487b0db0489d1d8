"""Browser sessions: a cookie that stands for a token, so that no script on our pages has to hold one; and when tokens
and sessions were last used, which is kept in memory and written every half minute.

Writing it with every read would make every read a write; losing half a minute of it in a crash does no harm."""

from datetime import datetime, timedelta

from sqlalchemy import Update, bindparam, delete, update

from ficha.accounts.accounts import BrowserSession, Token
from ficha.accounts.tokens import IssuedToken, PresentedCredential
from ficha.core.db import Base, Database
from ficha.core.ids import random_text, secret_hash
from ficha.core.transaction import Transaction

SECRET_LENGTH = 43


def new_secret() -> str:
    return random_text(SECRET_LENGTH)


def start_session(tx: Transaction, token: IssuedToken, now: datetime, minutes: int) -> str:
    """Returns the cookie's secret: a new one at every login, so that one planted before it is useless."""
    secret = new_secret()
    tx.orm.add(BrowserSession(hash=secret_hash(secret), token_id=token.id, expires_at=now + timedelta(minutes=minutes)))
    return secret


def session_credential(secret: str) -> PresentedCredential:
    hashed = secret_hash(secret)
    return PresentedCredential(hashed, hashed, is_session=True)


def prune_sessions(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(BrowserSession).where(BrowserSession.expires_at < now))


BATCH = 200
# On the bare tables: the ORM's own way takes twenty times as long.
_tokens = Base.metadata.tables[Token.__tablename__]
_sessions = Base.metadata.tables[BrowserSession.__tablename__]
SET_TOKEN_USED = update(_tokens).where(_tokens.c.id == bindparam("which")).values(last_used_at=bindparam("at"))
SET_SESSION_EXPIRY = update(_sessions).where(_sessions.c.hash == bindparam("which")).values(expires_at=bindparam("at"))


class LastUsed:
    """Without a lock, which would be a fiftieth of a fast read: setting a key is one step for Python, as listing all of
    them is, and a time that is set just when its dictionary is written may be lost."""

    def __init__(self) -> None:
        self._tokens: dict[int, datetime] = {}
        self._sessions: dict[bytes, datetime] = {}

    def note(self, token_id: int, now: datetime, *, browser_hash: bytes | None = None) -> None:
        self._tokens[token_id] = now
        if browser_hash is not None:
            self._sessions[browser_hash] = now

    def write(self, database: Database, session_minutes: int) -> None:
        tokens, self._tokens = self._tokens, {}
        sessions, self._sessions = self._sessions, {}
        if not tokens and not sessions:
            return
        lifetime = timedelta(minutes=session_minutes)
        _update(database, SET_TOKEN_USED, [{"which": which, "at": at} for which, at in sorted(tokens.items())])
        _update(
            database,
            SET_SESSION_EXPIRY,
            [{"which": which, "at": at + lifetime} for which, at in sorted(sessions.items())],
        )


def _update(database: Database, statement: Update, rows: list[dict[str, object]]) -> None:
    """In small batches, so that other writers do not wait long for it."""
    for start in range(0, len(rows), BATCH):
        with database.writing() as tx:
            tx.connection().execute(statement, rows[start : start + BATCH])
