"""The prepared statements of accounts: their rows, tokens and second factors."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, union_all
from sqlalchemy.exc import NoResultFound

from ficha.accounts.accounts import Account, AccountRow, CorreoTaken, SecondFactor, Token
from ficha.accounts.caller_selects import CALLER_BY_SESSION, CALLER_BY_TOKEN, CallerRow
from ficha.accounts.passkeys import Passkey
from ficha.core.db import Base
from ficha.core.prepared import Prepared, insert_if_new
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction

_accounts, _tokens = (Base.metadata.tables[table.__tablename__] for table in (Account, Token))
_READ_ACCOUNT = Prepared(
    select(*(_accounts.c[name] for name in AccountRow._fields)).where(_accounts.c.id == bindparam("account_id")),
    row=AccountRow,
)
_WRITTEN = ("clave_hash", "telefono_e164", "created_at", "vanishes_at")
_ACCOUNT_COLUMNS = (*AccountRow._fields[1:], "correo_key", *_WRITTEN)
_INSERT_TOKEN = Prepared(
    insert(_tokens).returning(_tokens.c.id),
    columns=("account_id", "hash", "session_key", "created_at", "expires_at"),
)
_CALLER_BY_TOKEN = Prepared(CALLER_BY_TOKEN, row=CallerRow)
_CALLER_BY_SESSION = Prepared(CALLER_BY_SESSION, row=CallerRow)
_DELETE_TOKEN = Prepared(delete(_tokens).where(_tokens.c.id == bindparam("token_id")))
_app = select(SecondFactor.account_id).where(
    SecondFactor.account_id == bindparam("account_id"), SecondFactor.confirmed_at.is_not(None)
)
_HAS_APP = Prepared(_app)
_HAS_FACTOR = Prepared(
    union_all(_app, select(Passkey.account_id).where(Passkey.account_id == bindparam("account_id"))).limit(1)
)


def read_account(tx: Transaction, account_id: int) -> AccountRow:
    """Raises NoResultFound."""
    row: AccountRow | None = tx.first(_READ_ACCOUNT, account_id=account_id)
    if row is None:
        raise NoResultFound
    return row


def create_account(tx: Transaction, facts: AccountRow, **written: Any) -> AccountRow:
    """`facts` without their id, and what else is stored of a new account. Raises CorreoTaken."""
    values = {**facts._asdict(), **written, "correo_key": correo_key(facts.correo)}
    del values["id"]
    # Not by an error of the database: PostgreSQL would write the correo to its own log.
    row = tx.first(insert_if_new(tx.dialect.name, _accounts, _ACCOUNT_COLUMNS, ("id",)), **values)
    if row is None:
        raise CorreoTaken
    return facts._replace(id=row.id)


def insert_token(
    tx: Transaction, account_id: int, hashed: bytes, session_key: str, now: datetime, expires_at: datetime
) -> int:
    values = {"account_id": account_id, "hash": hashed, "session_key": session_key}
    token_id: int = tx.first(_INSERT_TOKEN, **values, created_at=now, expires_at=expires_at).id
    return token_id


def delete_token(tx: Transaction, token_id: int) -> bool:
    """False if it was gone already."""
    return bool(tx.changed(_DELETE_TOKEN, token_id=token_id))


def caller_row(tx: Transaction, key: int | bytes, now: datetime, *, is_session: bool) -> CallerRow | None:
    """Of a live token by its id, or of a live browser session by the hash of its secret."""
    row: CallerRow | None = tx.first(_CALLER_BY_SESSION if is_session else _CALLER_BY_TOKEN, key=key, now=now)
    return row


def has_second_factor(tx: Transaction, account_id: int) -> bool:
    """An app or a passkey: whoever has either is not let in by the clave alone."""
    return tx.first(_HAS_FACTOR, account_id=account_id) is not None


def has_app(tx: Transaction, account_id: int) -> bool:
    return tx.first(_HAS_APP, account_id=account_id) is not None
