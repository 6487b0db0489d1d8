"""Registers a person: account, record and code are created in one transaction, or none of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import and_, bindparam, select

from ficha.accounts.accounts import AccountFacts, Idioma, Role, create_account
from ficha.accounts.jobs import SEND_CLAIM
from ficha.core.crypto import Keyring
from ficha.core.phones import to_e164
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.fmd.new_records import open_record
from ficha.fmd.records import Record
from ficha.jobs.queue import put
from ficha.products.product import IS_LIVE, Product


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
    product_tag: str | None = None
    roles: tuple[Role, ...] = (Role.OWNER,)
    lifetime: timedelta | None = None


@dataclass(frozen=True)
class CodesOfAccount:
    """The numbers that the API gives for a person. `fmd_code` is her first record; the codes are those of all."""

    fmd_code: int
    product_codes: list[str]
    bp_codes: list[str]
    records: list["CodesOfRecord"]


@dataclass(frozen=True)
class CodesOfRecord:
    fmd_code: int
    relacion: str
    codes: list[str]


def register(tx: Transaction, person: NewPerson, keyring: Keyring, now: datetime) -> AccountFacts:
    """Raises CorreoTaken, or what `claim_code` raises if the code cannot be claimed."""
    account = create_account(
        tx,
        AccountFacts(
            id=0,
            correo=person.correo,
            nombre=person.nombre,
            cod_telefono=person.cod_telefono,
            telefono=person.telefono,
            idioma=person.idioma.value,
            roles=[role.value for role in person.roles],
            correo_verificado_en=None,
            telefono_verificado_en=None,
        ),
        clave_hash=person.clave_hash,
        telefono_e164=to_e164(person.cod_telefono, person.telefono) if person.telefono else None,
        created_at=now,
        vanishes_at=None if person.lifetime is None else now + person.lifetime,
    )
    open_record(
        tx,
        account.id,
        person.relacion,
        keyring,
        now,
        product_code=person.product_code,
        product_tag=person.product_tag,
    )
    if person.product_code is not None and person.product_tag is None:
        put(tx, SEND_CLAIM, {"account_id": account.id})
    return account


# One row for each code, or one for a record without.
_CODES_OF_ACCOUNT = Prepared(
    select(Record.id, Record.created_at, Record.relacion, Product.code, Product.is_bp)
    .outerjoin(Product, and_(Product.record_id == Record.id, IS_LIVE))
    .where(Record.account_id == bindparam("account_id"))
    .order_by(Product.claimed_at, Product.code)
)


def codes_of_account(tx: Transaction, account_id: int) -> CodesOfAccount:
    rows = sorted(tx.all(_CODES_OF_ACCOUNT, account_id=account_id), key=lambda row: row.created_at)
    records = {row.id: CodesOfRecord(row.id, row.relacion, []) for row in rows}
    coded = [row for row in rows if row.code is not None]
    for row in coded:
        records[row.id].codes.append(row.code)
    return CodesOfAccount(
        fmd_code=rows[0].id,
        product_codes=[row.code for row in coded if not row.is_bp],
        bp_codes=[row.code for row in coded if row.is_bp],
        records=list(records.values()),
    )
