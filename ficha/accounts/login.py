"""The clave: hashed with Argon2id, and logging in with it. Everything but the right clave gets the same answer after
the same time, whether or not there is an account."""

import hashlib
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import cache
from typing import NamedTuple

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.accounts.caller_selects import account_exists
from ficha.accounts.tokens import IssuedToken, issue_token
from ficha.core.db import Database
from ficha.core.errors import FichaError, Source
from ficha.core.process import set_up_hashing_thread
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction

# OWASP's minimum: 19 MiB, two passes, one lane; about 40 ms on a small core.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


# Two threads of its own: each thread that ever hashed keeps its 19 MiB, and logins must leave cores for the rest.
_hashers = ThreadPoolExecutor(2, thread_name_prefix="argon2", initializer=set_up_hashing_thread)


@cache
def _dummy_hash() -> str:
    """Checked when there is no account, so that the answer takes as long as for a wrong clave."""
    return _hasher.hash("nobody has this clave")


def hash_clave(clave: str) -> str:
    return _hashers.submit(_hasher.hash, _bytes_of(clave)).result()


def _bytes_of(clave: str) -> bytes:
    """In NFC: one keyboard writes é as one letter, another as two. Half of a surrogate pair is nobody's clave."""
    return unicodedata.normalize("NFC", clave).encode("utf-8", "replace")


def clave_matches(clave_hash: str | None, clave: str) -> bool:
    """False for a wrong clave and for no account, after the same work."""
    dummy = _dummy_hash()  # In either case: the first call of a process has to compute it.
    try:
        _hashers.submit(_hasher.verify, clave_hash or dummy, _bytes_of(clave)).result()
    except (VerificationError, InvalidHashError):
        return False
    return clave_hash is not None


def is_outdated(clave_hash: str) -> bool:
    return _hasher.check_needs_rehash(clave_hash)


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


class CheckedClave(NamedTuple):
    """Whose clave was right, and a mark of that clave: one that is chosen afterwards ends what the old one began."""

    account_id: int
    mark: str

    @classmethod
    def of(cls, account_id: int, clave_hash: str) -> "CheckedClave":
        # The hash has a salt of its own, so nothing can be guessed from the mark.
        return cls(account_id, hashlib.sha256(clave_hash.encode()).hexdigest()[:32])

    def account_in(self, tx: Transaction, *, locks: bool = True) -> Account | None:
        """None if it is gone or has another clave by now. Locked, it gets no other before the transaction ends."""
        lock = {"key_share": True} if locks else None
        account = tx.orm.get(Account, self.account_id, with_for_update=lock, populate_existing=True)
        return account if account is not None and CheckedClave.of(account.id, account.clave_hash) == self else None


def check_clave(database: Database, correo: str, clave: str, now: datetime) -> CheckedClave:
    """Raises WrongClave. Hashing is slow on purpose: no connection is held meanwhile."""
    with database.reading() as tx:
        account = tx.orm.scalars(
            select(Account).where(Account.correo_key == correo_key(correo), account_exists(now))
        ).one_or_none()
    if not clave_matches(account.clave_hash if account else None, clave) or account is None:
        raise WrongClave
    return CheckedClave.of(account.id, account.clave_hash)


def check_own_clave(database: Database, account_id: int, clave: str) -> None:
    """Raises WrongOwnClave."""
    with database.reading() as tx:
        account = tx.orm.get(Account, account_id)
    if account is None or not clave_matches(account.clave_hash, clave):
        raise WrongOwnClave


def log_in(
    tx: Transaction, checked: CheckedClave, clave: str, now: datetime, minutes: int
) -> tuple[Account, IssuedToken]:
    """The second half, after `check_clave`: the part that writes. Raises WrongClave if the account is gone, or got
    another clave while this one was being checked."""
    account = checked.account_in(tx)
    if account is None:
        raise WrongClave
    if is_outdated(account.clave_hash):
        account.clave_hash = hash_clave(clave)
    return account, issue_token(tx, account, now, minutes)
