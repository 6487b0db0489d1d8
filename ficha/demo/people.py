"""The demo people: their accounts and stickers are made if they are missing."""

import base64
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, Role, account_with
from ficha.accounts.clave import hash_clave
from ficha.accounts.tokens import Caller
from ficha.demo.records import ALMOST_EMPTY, CHILD, CYCLIST, GRANDFATHER, PUPIL, TRAVELLER
from ficha.enrolment.registration import NewPerson, codes_of_account, register
from ficha.fmd.access import open_fmd
from ficha.fmd.changes import patch_models
from ficha.parts import Parts
from ficha.products.product import Product, tag_hash

CLAVE = "demo-demo-demo"


@dataclass(frozen=True)
class DemoPerson:
    """`responder_url` is what the QR of the sticker holds; `typed_url` is its address with the code alone."""

    nombre: str
    correo: str
    clave: str
    roles: list[str]
    fmd_code: int
    codes: list[str]
    tag: str
    responder_url: str
    typed_url: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class NewDemoPerson:
    """What a demo person is made from. `alias` is the first part of the correo."""

    nombre: str
    alias: str
    telefono: str
    relacion: str = "titular"
    roles: tuple[Role, ...] = (Role.OWNER,)
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def correo(self) -> str:
        return f"{self.alias}@demo.example"


PEOPLE = (
    NewDemoPerson("Ana Pérez Rojas", "ana", "4125551111", "madre", record=PUPIL),
    NewDemoPerson("Luis Molina", "luis", "4125552222", record=GRANDFATHER),
    NewDemoPerson("Beatriz Silva", "beatriz", "4125556001", record=TRAVELLER),
    NewDemoPerson("Tomás Vera", "tomas", "4125556002", record=CYCLIST),
    NewDemoPerson("Mateo Rojas", "mateo", "4125556003", "madre", record=CHILD),
    NewDemoPerson("Pedro Gil", "pedro", "4125556004", record=ALMOST_EMPTY),
    NewDemoPerson("Inés Soporte", "soporte", "4125553333", roles=(Role.OWNER, Role.STAFF)),
    NewDemoPerson("Administración", "admin", "4125554444", roles=(Role.OWNER, Role.ADMIN)),
)


def ensure_demo(parts: Parts) -> list[DemoPerson]:
    """Makes the people who are missing and changes nothing of the others. Returns all of them."""
    parts.secrets.ensure_root()
    with parts.database.reading() as session:
        missing = [person for person in PEOPLE if account_with(session, person.correo) is None]
    clave_hash = hash_clave(CLAVE) if missing else ""
    with parts.database.writing() as session:
        for person in missing:
            _create(session, parts, person, clave_hash)
        return [_demo_person(session, parts, person) for person in PEOPLE]


def _create(session: Session, parts: Parts, person: NewDemoPerson, clave_hash: str) -> None:
    now = parts.clock.now()
    account = register(
        session,
        NewPerson(
            correo=person.correo,
            clave_hash=clave_hash,
            nombre=person.nombre,
            cod_telefono="+58",
            telefono=person.telefono,
            relacion=person.relacion,
            roles=person.roles,
        ),
        parts.keyring,
        now,
    )
    # Nobody receives a code for these numbers, and without a verified one much could not be tried.
    account.telefono_verificado_en, account.telefono_verificado_por = now, "whatsapp"
    code = codes_of_account(session, account.id).product_codes[0]
    session.get_one(Product, code).tag_hash = tag_hash(_tag(parts, person))
    session.flush()
    if person.record:
        caller = Caller(account.id, 0, "", frozenset(account.roles))
        patch_models(session, open_fmd(session, parts.keyring, caller, code, now), person.record, now)


def _tag(parts: Parts, person: NewDemoPerson) -> str:
    """Derived from a secret of this installation, so that it can be shown again: only its hash is stored."""
    return base64.b32encode(parts.secrets.keyed_hash("demo-tags", person.correo)[:16]).decode().rstrip("=")


def _demo_person(session: Session, parts: Parts, person: NewDemoPerson) -> DemoPerson:
    account = account_with(session, person.correo)
    assert isinstance(account, Account)
    found = codes_of_account(session, account.id)
    code, tag = found.product_codes[0] if found.product_codes else "", _tag(parts, person)
    base = parts.settings.public_url
    return DemoPerson(
        account.nombre,
        account.correo,
        CLAVE,
        account.roles,
        found.fmd_code,
        found.product_codes,
        tag,
        f"{base}/e/{code}/{tag}",
        f"{base}/e/{code}",
    )
