"""Logging in: everything but the right clave gets the same answer after the same time."""

from datetime import datetime

from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.accounts.clave import clave_matches, hash_clave, is_outdated
from ficha.accounts.tokens import IssuedToken, account_exists, issue_token
from ficha.core.db import Database
from ficha.core.errors import FichaError, Source
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction


class WrongClave(FichaError):
    status = 401
    code = "credenciales_invalidas"
    message = "El correo o la clave no son correctos."


class WrongOwnClave(FichaError):
    """The caller is known; only the clave that confirms the step is wrong."""

    status = 422
    code = "clave_incorrecta"
    message = "La clave no es correcta."
    source = Source("pointer", "/clave")


def check_clave(database: Database, correo: str, clave: str, now: datetime) -> int:
    """Returns the account's id, or raises WrongClave. Hashing is slow on purpose: no connection is held meanwhile."""
    with database.reading() as tx:
        account = tx.orm.scalars(
            select(Account).where(Account.correo_key == correo_key(correo), account_exists(now))
        ).one_or_none()
    if not clave_matches(account.clave_hash if account else None, clave) or account is None:
        raise WrongClave
    return account.id


def check_own_clave(database: Database, account_id: int, clave: str) -> None:
    """Raises WrongOwnClave."""
    with database.reading() as tx:
        account = tx.orm.get(Account, account_id)
    if account is None or not clave_matches(account.clave_hash, clave):
        raise WrongOwnClave


def log_in(tx: Transaction, account_id: int, clave: str, now: datetime, minutes: int) -> tuple[Account, IssuedToken]:
    """The second half, after `check_clave`: the part that writes. Raises WrongClave if the account is gone."""
    account = tx.orm.get(Account, account_id)
    if account is None:  # Deleted while its clave was being checked.
        raise WrongClave
    if is_outdated(account.clave_hash):
        account.clave_hash = hash_clave(clave)
    return account, issue_token(tx, account, now, minutes)
