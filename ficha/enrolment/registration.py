"""Registers a person: account, record and code are created in one transaction, or none of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, CorreoTaken, Idioma, Role, correo_key
from ficha.core.crypto import Keyring
from ficha.core.phones import to_e164
from ficha.fmd.records import create_record, records_of
from ficha.products.codes import claim_code, issue_code
from ficha.products.product import live_codes


@dataclass(frozen=True)
class NewPerson:
    """What registration asks for. The clave arrives hashed: hashing is slow and must not hold a lock."""

    correo: str
    clave_hash: str
    nombre: str
    cod_telefono: str = ""
    telefono: str = ""
    relacion: str = "titular"
    idioma: Idioma = Idioma.ES
    product_code: str | None = None
    roles: tuple[Role, ...] = (Role.OWNER,)
    lifetime: timedelta | None = None


@dataclass(frozen=True)
class CodesOfAccount:
    """The numbers that the API gives for a person."""

    fmd_code: int
    product_codes: list[str]
    bp_codes: list[str]


def register(session: Session, person: NewPerson, keyring: Keyring, now: datetime) -> Account:
    """Raises CorreoTaken, or what `claim_code` raises if the code cannot be claimed."""
    account = Account(
        correo=person.correo,
        correo_key=correo_key(person.correo),
        clave_hash=person.clave_hash,
        nombre=person.nombre,
        cod_telefono=person.cod_telefono,
        telefono=person.telefono,
        telefono_e164=to_e164(person.cod_telefono, person.telefono) if person.telefono else None,
        idioma=person.idioma,
        roles=list(person.roles),
        created_at=now,
        vanishes_at=None if person.lifetime is None else now + person.lifetime,
    )
    session.add(account)
    try:
        session.flush()
    except IntegrityError:
        raise CorreoTaken from None
    record = create_record(session, account.id, person.relacion, keyring, now)
    if person.product_code is None:
        issue_code(session, now, record_id=record.id)
    else:
        claim_code(session, person.product_code, record.id, now)
    return account


def codes_of_account(session: Session, account_id: int) -> CodesOfAccount:
    records = records_of(session, account_id)
    codes = live_codes(session, [record.id for record in records])
    return CodesOfAccount(
        fmd_code=records[0].id,
        product_codes=[product.code for product in codes if not product.is_bp],
        bp_codes=[product.code for product in codes if product.is_bp],
    )
