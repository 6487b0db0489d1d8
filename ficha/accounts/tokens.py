"""Bearer tokens: `<ID>|<SECRET>`, of which only the secret's SHA-256 is stored. A revoked token is a deleted row."""

import hmac
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.engine import CursorResult

from ficha.accounts.accounts import Account, AccountRow, Role, Token
from ficha.accounts.caller_selects import CALLER_BY_SESSION, CALLER_BY_TOKEN, CallerRow, Query
from ficha.accounts.statements import caller_row, delete_token, has_second_factor, insert_token, read_account
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, NotFound
from ficha.core.ids import random_text, secret_hash
from ficha.core.transaction import Transaction

SECRET_LETTERS = 40
MAX_ID = 2**63 - 1


class Unauthenticated(FichaError):
    """One sentence for every cause: no token, a bad one, an expired one, a revoked one."""

    status = 401
    code = "no_autenticado"
    message = "Hace falta una sesión vigente. Inicie sesión y envíe el token en Authorization: Bearer."
    headers = {"WWW-Authenticate": 'Bearer realm="ficha"'}  # noqa: RUF012


class SecondFactorDemanded(FichaError):
    status = 403
    code = "falta_segundo_factor"
    message = "Active el segundo factor en su cuenta: este servicio lo pide a quien lo administra."


# What the setting `staff_second_factor` withholds from an account without a second factor.
STAFF_ROLES = frozenset({Role.STAFF, Role.ADMIN})


@dataclass(frozen=True)
class Caller:
    """Who is asking: plain values, which load nothing from the database.

    Her roles are nobody else's to read: what she may do here and now is said by these properties alone, because it
    depends on more than the role."""

    account_id: int
    token_id: int
    session_key: str
    _roles: frozenset[str]
    # Those of staff that the account has and may not use, because a second factor is demanded and it has none.
    _withheld: frozenset[str] = frozenset()

    @property
    def actor(self) -> Actor:
        """As the log names her."""
        return Actor("account", self.account_id)

    @property
    def acts_as_staff(self) -> bool:
        """An administrator does, too."""
        return not STAFF_ROLES.isdisjoint(self._roles)

    @property
    def acts_as_admin(self) -> bool:
        return Role.ADMIN in self._roles

    @property
    def acts_for_institution(self) -> bool:
        """As its service account: an administrator acts for none."""
        return Role.INSTITUTION in self._roles

    @property
    def is_medical(self) -> bool:
        return Role.MEDICAL in self._roles

    @property
    def lacks_second_factor(self) -> bool:
        """She would act as staff with one."""
        return bool(self._withheld)

    def must_act_as_staff(self, refusal: type[FichaError]) -> None:
        """Raises SecondFactorDemanded if that is all she lacks, else the refusal."""
        if not self.acts_as_staff:
            raise SecondFactorDemanded if self.lacks_second_factor else refusal

    def must_act_as_admin(self, refusal: type[FichaError]) -> None:
        if not self.acts_as_admin:
            raise SecondFactorDemanded if Role.ADMIN in self._withheld else refusal


@dataclass(frozen=True)
class IssuedToken:
    """A new token. Its text is known only now: the database holds a hash."""

    id: int
    text: str
    session_key: str
    expires_at: datetime


def issue_token(
    tx: Transaction, account: Account | AccountRow, now: datetime, minutes: int, *, session_key: str | None = None
) -> IssuedToken:
    letters = random_text(SECRET_LETTERS)
    # The checksum lets secret scanners recognise a leaked token; nobody relies on it.
    secret = f"{letters}{zlib.crc32(letters.encode()):08x}"
    session_key = session_key or random_text(12)
    expires_at = now + timedelta(minutes=minutes)
    token_id = insert_token(tx, account.id, secret_hash(secret), session_key, now, expires_at)
    return IssuedToken(token_id, f"{token_id}|{secret}", session_key, expires_at)


class PresentedCredential(NamedTuple):
    """What somebody shows to say who they are: the key of a token's row or of a browser session's, and the hash of the
    secret."""

    key: int | bytes
    secret_hash: bytes
    is_session: bool = False

    @property
    def query(self) -> Query:
        return CALLER_BY_SESSION if self.is_session else CALLER_BY_TOKEN

    @property
    def browser_hash(self) -> bytes | None:
        """Of the browser session whose end its use moves on."""
        return self.secret_hash if self.is_session else None

    def matches(self, stored_hash: bytes) -> bool:
        """In constant time."""
        return hmac.compare_digest(stored_hash, self.secret_hash)


def token_credential(presented: str) -> PresentedCredential | None:
    """None if the text is no token."""
    token_id, bar, secret = presented.partition("|")
    if not bar or not secret or not (token_id.isascii() and token_id.isdigit()) or len(token_id) > 19:
        return None
    number = int(token_id)
    return PresentedCredential(number, secret_hash(secret)) if number <= MAX_ID else None


def caller_by(
    tx: Transaction, credential: PresentedCredential, now: datetime, *, staff_second_factor: bool
) -> Caller | None:
    """None if the credential is wrong, expired or revoked. `staff_second_factor` is the setting."""
    row = caller_row(tx, credential.key, now, is_session=credential.is_session)
    if row is None or not credential.matches(row.hash):
        return None
    return caller_in(tx, row, staff_second_factor=staff_second_factor)


def caller_with(tx: Transaction, presented: str, now: datetime, *, staff_second_factor: bool) -> Caller | None:
    """Who shows this bearer token. None if it is wrong, expired or revoked."""
    credential = token_credential(presented)
    return None if credential is None else caller_by(tx, credential, now, staff_second_factor=staff_second_factor)


def caller_in(tx: Transaction, row: CallerRow, *, staff_second_factor: bool) -> Caller:
    """Whoever lacks a demanded second factor is not staff from here on, wherever she is asked about: nobody after this
    can forget it."""
    roles = frozenset(row.roles)
    withheld = roles & STAFF_ROLES if staff_second_factor else frozenset()
    if withheld and has_second_factor(tx, row.account_id):
        withheld = frozenset()
    return Caller(row.account_id, row.id, row.session_key, roles - withheld, withheld)


def tokens_of(tx: Transaction, account_id: int, now: datetime, *, after: int, limit: int) -> list[Token]:
    """Live tokens, newest first, below the id `after`."""
    return list(
        tx.orm.scalars(
            select(Token)
            .where(Token.account_id == account_id, Token.expires_at > now, Token.id < after)
            .order_by(Token.id.desc())
            .limit(limit)
        )
    )


def renew_token(tx: Transaction, caller: Caller, now: datetime, minutes: int) -> tuple[AccountRow, IssuedToken]:
    """A new token for the same session. Raises Unauthenticated for the second of two renewals at once."""
    if not delete_token(tx, caller.token_id):
        raise Unauthenticated
    account = read_account(tx, caller.account_id)
    return account, issue_token(tx, account, now, minutes, session_key=caller.session_key)


def revoke_token(tx: Transaction, account_id: int, token_id: int) -> None:
    """Raises NotFound, also for a token of another account."""
    if not _deleted(tx, Token.id == token_id, Token.account_id == account_id):
        raise NotFound


def revoke_all(tx: Transaction, account_id: int, *, but: int | None = None) -> int:
    others = [] if but is None else [Token.id != but]
    return _deleted(tx, Token.account_id == account_id, *others)


def prune_tokens(tx: Transaction, now: datetime) -> int:
    """Deletes tokens that expired a day ago; returns how many."""
    return _deleted(tx, Token.expires_at < now - timedelta(hours=24))


def _deleted(tx: Transaction, *where: ColumnElement[bool]) -> int:
    result = tx.orm.execute(delete(Token).where(*where))
    assert isinstance(result, CursorResult)
    return result.rowcount
