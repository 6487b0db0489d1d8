"""Registers a person, with account, record and code in one transaction or none of them; and opens a further record of
an account, for a child or a parent."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.accounts.accounts import AccountRow, Idioma, Role
from ficha.accounts.jobs import SEND_CLAIM
from ficha.accounts.statements import create_account
from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.phones import to_e164
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.new_records import check_room_for_record, open_record
from ficha.fmd.records import RecordRow
from ficha.fmd.statements import update_record
from ficha.fmd.stored_documents import save_version
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
    _open(tx, account.id, person, keyring, now)
    return account


@dataclass(frozen=True)
class NewRecord:
    relacion: str
    product_code: str | None = None
    product_tag: str | None = None
    template_type: str | None = None
    nombres: str | None = None


def open_further_record(
    tx: Transaction, keyring: Keyring, caller: Caller, wanted: NewRecord, now: datetime, *, most: int
) -> RecordRow:
    """A record with a code of its own. Raises TooManyRecords, or CodeNotFree for its sticker."""
    account_id = caller.account_id
    check_room_for_record(tx, account_id, most)
    record = _open(tx, account_id, wanted, keyring, now)
    first: dict[str, Document] = {}
    if wanted.template_type is not None:
        record = record._replace(template_type=wanted.template_type)
        first["modulo"] = {"modulos": TEMPLATES[wanted.template_type].switches()}
    if wanted.nombres is not None:
        # Not whole without a surname, which the form asks for when it is next opened. The card has a name until then.
        first["personal"] = {"nombres": wanted.nombres}
    if first:
        record = _save_first(tx, record, record.open_key(keyring), first, Actor("account", account_id), now)
    return record


def _open(
    tx: Transaction, account_id: int, wanted: NewPerson | NewRecord, keyring: Keyring, now: datetime
) -> RecordRow:
    """Whoever claims a sticker by its code alone is mailed a link that confirms it."""
    code, tag = wanted.product_code, wanted.product_tag
    record = open_record(tx, account_id, wanted.relacion, keyring, now, product_code=code, product_tag=tag)
    if code is not None and tag is None:
        put(tx, SEND_CLAIM, {"account_id": account_id})
    return record


def _save_first(
    tx: Transaction, record: RecordRow, key: bytes, first: dict[str, Document], actor: Actor, now: datetime
) -> RecordRow:
    sizes = [save_version(tx, record.id, 1, key, name, 0, each, str(actor), now) for name, each in first.items()]
    record = record._replace(version=1, stored_bytes=sum(sizes))
    update_record(tx, record)
    audit.note(tx, record.id, actor, "record.changed", sorted(first), now)
    return record
