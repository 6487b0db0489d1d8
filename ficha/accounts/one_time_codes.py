"""Codes and links that prove somebody reads a mailbox or a phone. Only keyed hashes of them are stored."""

import hmac
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, Index, LargeBinary, String, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, Source
from ficha.core.ids import random_digits, random_text
from ficha.core.secrets import Secrets
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction

CODE_DIGITS = 6
LINK_LENGTH = 43


class Purpose(StrEnum):
    CORREO = "correo"
    TELEFONO = "telefono"
    CLAVE = "clave"
    ETIQUETA = "etiqueta"
    PERDIDA = "perdida"
    INVITACION = "invitacion"


class OneTimeCode(Base):
    """At most one per account and purpose: asking again replaces it."""

    __tablename__ = "one_time_codes"
    __table_args__ = (Index("ux_one_time_codes_account_purpose", "account_id", "purpose", unique=True),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))
    purpose: Mapped[str] = mapped_column(String(12))
    hash: Mapped[bytes] = mapped_column(LargeBinary(32), index=True)
    # Where it was sent: a code proves that address and no other.
    target: Mapped[str] = mapped_column(String(254))
    expires_at: Mapped[datetime] = mapped_column(Utc)
    tries_left: Mapped[int]


class WrongCode(FichaError):
    """The spent try is written down although the request failed."""

    status = 422
    code = "codigo_incorrecto"
    message = "El código no es correcto o ya venció. Revíselo o pida uno nuevo."
    source = Source("pointer", "/codigo")
    keeps_changes = True


class LinkExpired(FichaError):
    status = 422
    code = "enlace_vencido"
    message = "El enlace ya no sirve: venció o se usó. Pida uno nuevo."
    source = Source("pointer", "/token")


def new_code(
    tx: Transaction,
    secrets: Secrets,
    account_id: int,
    purpose: Purpose,
    target: str,
    now: datetime,
    *,
    minutes: int,
    tries: int,
    code: str | None = None,
) -> str:
    """Six digits, of the demo these. A plain hash of six digits is no secret, so it is keyed, and bound to account and
    purpose."""
    code = code or random_digits(CODE_DIGITS)
    _replace(tx, account_id, purpose, _code_hash(secrets, account_id, purpose, code), target, now, minutes, tries)
    return code


def spend_code(tx: Transaction, secrets: Secrets, account_id: int, purpose: Purpose, code: str, now: datetime) -> str:
    """Returns the address the code proves, or raises WrongCode. Every try counts, also when many come at once."""
    spent = tx.orm.execute(
        update(OneTimeCode)
        .where(OneTimeCode.account_id == account_id, OneTimeCode.purpose == purpose)
        .where(OneTimeCode.expires_at > now, OneTimeCode.tries_left > 0)
        .values(tries_left=OneTimeCode.tries_left - 1)
        .returning(OneTimeCode.id, OneTimeCode.hash, OneTimeCode.target)
    ).one_or_none()
    if spent is None or not hmac.compare_digest(spent.hash, _code_hash(secrets, account_id, purpose, code)):
        raise WrongCode
    tx.orm.execute(delete(OneTimeCode).where(OneTimeCode.id == spent.id))
    target: str = spent.target
    return target


def verify_correo(tx: Transaction, secrets: Secrets, account_id: int, code: str, now: datetime) -> Account:
    """Six digits prove that she reads her correo. Raises WrongCode."""
    target = spend_code(tx, secrets, account_id, Purpose.CORREO, code, now)
    account = tx.orm.get_one(Account, account_id)
    if correo_key(target) != account.correo_key:  # The correo changed after the code was sent.
        raise WrongCode
    account.correo_verificado_en = now
    return account


def new_link(
    tx: Transaction,
    secrets: Secrets,
    account: Account,
    purpose: Purpose,
    now: datetime,
    *,
    minutes: int,
    token: str | None = None,
) -> str:
    """A long secret for a link, of the demo this one, good for one purpose and once."""
    token = token or random_text(LINK_LENGTH)
    _replace(tx, account.id, purpose, secrets.keyed_hash("links", token), account.correo, now, minutes, 1)
    return token


def account_of_link(tx: Transaction, secrets: Secrets, purpose: Purpose, token: str, now: datetime) -> Account:
    """The account it was sent to; it is not spent by that. Raises LinkExpired if it cannot be used any more."""
    sent = select(OneTimeCode.account_id, OneTimeCode.target).where(*_valid_link(secrets, purpose, token, now))
    return _account_still_at(tx, tx.orm.execute(sent).one_or_none())


def spend_link(tx: Transaction, secrets: Secrets, purpose: Purpose, token: str, now: datetime) -> Account:
    """Returns the account it was sent to, whose mailbox is proven by that. Raises LinkExpired; of two that use it at
    once, one gets that."""
    spent = delete(OneTimeCode).where(*_valid_link(secrets, purpose, token, now))
    sent = tx.orm.execute(spent.returning(OneTimeCode.account_id, OneTimeCode.target)).one_or_none()
    account = _account_still_at(tx, sent)
    account.correo_verificado_en = account.correo_verificado_en or now
    return account


def end_recovery(tx: Transaction, account_id: int) -> None:
    """A clave was chosen: no link mailed before chooses another."""
    tx.orm.execute(
        delete(OneTimeCode).where(OneTimeCode.account_id == account_id, OneTimeCode.purpose == Purpose.CLAVE)
    )


def end_mailed_codes(tx: Transaction, account_id: int) -> set[str]:
    """The correo is another: what was mailed before proves nothing any more. What was sent to a phone still does.
    Returns the purposes of what ended."""
    mailed = delete(OneTimeCode).where(OneTimeCode.account_id == account_id, OneTimeCode.target.contains("@"))
    return set(tx.orm.scalars(mailed.returning(OneTimeCode.purpose)))


def prune_codes(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(OneTimeCode).where(OneTimeCode.expires_at < now))


def _valid_link(secrets: Secrets, purpose: Purpose, token: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        OneTimeCode.purpose == purpose,
        OneTimeCode.hash == secrets.keyed_hash("links", token),
        OneTimeCode.expires_at > now,
    )


def _account_still_at(tx: Transaction, sent: Any) -> Account:
    """The account of a code that was sent, if it still has the address to which that was. Raises LinkExpired."""
    account = None if sent is None else tx.orm.get(Account, sent.account_id)
    if account is None or correo_key(sent.target) != account.correo_key:
        raise LinkExpired
    return account


def _code_hash(secrets: Secrets, account_id: int, purpose: Purpose, code: str) -> bytes:
    return secrets.keyed_hash("codes", f"{account_id}:{purpose}:{code}")


def _replace(
    tx: Transaction,
    account_id: int,
    purpose: Purpose,
    hashed: bytes,
    target: str,
    now: datetime,
    minutes: int,
    tries: int,
) -> None:
    tx.orm.execute(delete(OneTimeCode).where(OneTimeCode.account_id == account_id, OneTimeCode.purpose == purpose))
    tx.orm.add(
        OneTimeCode(
            account_id=account_id,
            purpose=purpose,
            hash=hashed,
            target=target,
            expires_at=now + timedelta(minutes=minutes),
            tries_left=tries,
        )
    )
    tx.orm.flush()
