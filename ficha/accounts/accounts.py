"""People who can log in: their rows, tokens and second factors, their roles, and how to find them."""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Json, Utc
from ficha.core.errors import FichaError, Source
from ficha.core.text_types import LONGEST_CORREO, correo_key
from ficha.core.transaction import Transaction


class Role(StrEnum):
    OWNER = "owner"
    STAFF = "staff"
    ADMIN = "admin"
    INSTITUTION = "institution"
    MEDICAL = "medical"


class Idioma(StrEnum):
    ES = "es"
    EN = "en"
    PT = "pt"


class Account(Base):
    __tablename__ = "accounts"
    # An id is never used again, so an old log line never points to a new person.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    correo: Mapped[str] = mapped_column(String(LONGEST_CORREO))
    correo_key: Mapped[str] = mapped_column(String(LONGEST_CORREO), unique=True)
    clave_hash: Mapped[str] = mapped_column(String(200))
    nombre: Mapped[str] = mapped_column(String(120))
    cod_telefono: Mapped[str] = mapped_column(String(5))
    telefono: Mapped[str] = mapped_column(String(15))
    telefono_e164: Mapped[str | None] = mapped_column(String(20), index=True)
    idioma: Mapped[str] = mapped_column(String(2))
    roles: Mapped[list[str]] = mapped_column(Json)
    correo_verificado_en: Mapped[datetime | None] = mapped_column(Utc)
    telefono_verificado_en: Mapped[datetime | None] = mapped_column(Utc)
    # A code that went by mail instead proves the person, but not who answers that phone.
    telefono_verificado_por: Mapped[str | None] = mapped_column(String(10))
    created_at: Mapped[datetime] = mapped_column(Utc)
    # In microseconds: of the newest challenge that added a passkey. It and older ones add none any more.
    last_passkey_challenge: Mapped[int] = mapped_column(BigInteger, server_default="0")
    # Only the test registration sets it: the account vanishes then.
    vanishes_at: Mapped[datetime | None] = mapped_column(Utc, index=True)


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


class BrowserSession(Base):
    """Exists from login to logout. Revoking its token ends it, wherever that happens."""

    __tablename__ = "browser_sessions"

    hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    token_id: Mapped[int] = mapped_column(ForeignKey("tokens.id", ondelete="CASCADE"), index=True)
    expires_at: Mapped[datetime] = mapped_column(Utc)


class SecondFactor(Base):
    """An authenticator app."""

    __tablename__ = "second_factors"

    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), primary_key=True)
    sealed_secret: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Utc)
    # None until a first code has shown that the app has the secret: it is asked for from then on.
    confirmed_at: Mapped[datetime | None] = mapped_column(Utc)
    # The half minute of the last code that counted: it and earlier ones count no more.
    last_step: Mapped[int] = mapped_column(BigInteger, server_default="0")


class AccountRow(NamedTuple):
    """What an account says about its person: plain values, which the ORM does not follow."""

    id: int
    correo: str
    nombre: str
    cod_telefono: str
    telefono: str
    idioma: str
    roles: list[str]
    correo_verificado_en: datetime | None
    telefono_verificado_en: datetime | None


class CorreoTaken(FichaError):
    status = 422
    code = "correo_en_uso"
    message = "Ya hay una cuenta con ese correo. Inicie sesión o pida una clave nueva."
    source = Source("pointer", "/correo")


def account_with(tx: Transaction, correo: str) -> Account | None:
    return tx.orm.scalars(select(Account).where(Account.correo_key == correo_key(correo))).one_or_none()


def lock_account(tx: Transaction, account_id: int) -> bool:
    """Until the transaction ends: what is counted for an account is counted by one at a time. False if it was erased.

    An account is locked before the records that it owns, and after a record that it is to be given. Rows that name the
    account may still be written meanwhile: whoever gives his record away holds that one, and gets a new one."""
    one = select(Account.id).where(Account.id == account_id).with_for_update(key_share=True)
    return tx.orm.scalar(one) is not None
