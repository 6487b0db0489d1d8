"""People who can log in: their row, their roles, and how to find them."""

from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, String, bindparam, insert, select
from sqlalchemy.exc import IntegrityError, NoResultFound
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Json, Utc
from ficha.core.errors import FichaError, Source
from ficha.core.prepared import Prepared
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


class AccountFacts(NamedTuple):
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


_accounts = Base.metadata.tables[Account.__tablename__]
_FACTS_BY_ID = Prepared(
    select(*(_accounts.c[name] for name in AccountFacts._fields)).where(_accounts.c.id == bindparam("account_id"))
)


def account_facts(tx: Transaction, account_id: int) -> AccountFacts:
    """Raises NoResultFound."""
    row = tx.first(_FACTS_BY_ID, account_id=account_id)
    if row is None:
        raise NoResultFound
    return AccountFacts._make(row)


class CorreoTaken(FichaError):
    status = 422
    code = "correo_en_uso"
    message = "Ya hay una cuenta con ese correo. Inicie sesión o pida una clave nueva."
    source = Source("pointer", "/correo")


_WRITTEN = ("clave_hash", "telefono_e164", "created_at", "vanishes_at")
_INSERT_ACCOUNT = Prepared(
    insert(_accounts).returning(_accounts.c.id), columns=(*AccountFacts._fields[1:], "correo_key", *_WRITTEN)
)


def create_account(tx: Transaction, facts: AccountFacts, **written: Any) -> AccountFacts:
    """`facts` without their id, and what else is stored of a new account. Raises CorreoTaken."""
    values = {**facts._asdict(), **written, "correo_key": correo_key(facts.correo)}
    del values["id"]
    try:
        return facts._replace(id=tx.first(_INSERT_ACCOUNT, **values).id)
    except IntegrityError:
        raise CorreoTaken from None


def account_with(tx: Transaction, correo: str) -> Account | None:
    return tx.orm.scalars(select(Account).where(Account.correo_key == correo_key(correo))).one_or_none()


def lock_account(tx: Transaction, account_id: int) -> None:
    """Until the transaction ends: what is counted for an account is counted by one at a time."""
    tx.orm.execute(select(Account.id).where(Account.id == account_id).with_for_update())
