"""Registers a person: account, record and code are created in one transaction, or none of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.accounts.accounts import AccountRow, Idioma, Role
from ficha.accounts.jobs import SEND_CLAIM
from ficha.accounts.statements import create_account
from ficha.core.crypto import Keyring
from ficha.core.phones import to_e164
from ficha.core.transaction import Transaction
from ficha.fmd.new_records import open_record
from ficha.jobs.queue import put


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


def register(tx: Transaction, person: NewPerson, keyring: Keyring, now: datetime) -> AccountRow:
    """Raises CorreoTaken, or what `claim_code` raises if the code cannot be claimed."""
    account = create_account(
        tx,
        AccountRow(
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
