"""Demo people: enough to try everything on a laptop."""

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
    """`responder_url` is what the QR of the sticker holds; whoever has it sees what a stranger would."""

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
class Sketch:
    nombre: str
    name: str
    telefono: str
    relacion: str = "titular"
    roles: tuple[Role, ...] = (Role.OWNER,)
    record: Mapping[str, Any] = field(default_factory=dict)

    @property
    def correo(self) -> str:
        return f"{self.name}@demo.example"


PEOPLE = (
    Sketch("Ana Pérez Rojas", "ana", "4125551111", "madre", record=PUPIL),
    Sketch("Luis Molina", "luis", "4125552222", record=GRANDFATHER),
    Sketch("Beatriz Silva", "beatriz", "4125556001", record=TRAVELLER),
    Sketch("Tomás Vera", "tomas", "4125556002", record=CYCLIST),
    Sketch("Mateo Rojas", "mateo", "4125556003", "madre", record=CHILD),
    Sketch("Pedro Gil", "pedro", "4125556004", record=ALMOST_EMPTY),
    Sketch("Inés Soporte", "soporte", "4125553333", roles=(Role.OWNER, Role.STAFF)),
    Sketch("Administración", "admin", "4125554444", roles=(Role.OWNER, Role.ADMIN)),
)


def ensure_demo(parts: Parts) -> list[DemoPerson]:
    """Those who are missing are made; those who are there stay as they are."""
    parts.secrets.ensure_root()
    with parts.database.reading() as session:
        missing = [sketch for sketch in PEOPLE if account_with(session, sketch.correo) is None]
    clave_hash = hash_clave(CLAVE) if missing else ""
    with parts.database.writing() as session:
        for sketch in missing:
            _make(session, parts, sketch, clave_hash)
        return [_shown(session, parts, sketch) for sketch in PEOPLE]


def _make(session: Session, parts: Parts, sketch: Sketch, clave_hash: str) -> None:
    now = parts.clock.now()
    account = register(
        session,
        NewPerson(
            correo=sketch.correo,
            clave_hash=clave_hash,
            nombre=sketch.nombre,
            cod_telefono="+58",
            telefono=sketch.telefono,
            relacion=sketch.relacion,
            roles=sketch.roles,
        ),
        parts.keyring,
        now,
    )
    # A demo needs no proof, and without it nobody could try what follows from one.
    account.telefono_verificado_en, account.telefono_verificado_por = now, "whatsapp"
    code = codes_of_account(session, account.id).product_codes[0]
    session.get_one(Product, code).tag_hash = tag_hash(_tag(parts, sketch))
    session.flush()
    if sketch.record:
        caller = Caller(account.id, 0, "", frozenset(account.roles))
        patch_models(session, open_fmd(session, parts.keyring, caller, code, now), sketch.record, now)


def _tag(parts: Parts, sketch: Sketch) -> str:
    """Made from a secret of this installation, so that it can be shown again: only its hash is stored."""
    return base64.b32encode(parts.secrets.keyed_hash("demo-tags", sketch.correo)[:16]).decode().rstrip("=")


def _shown(session: Session, parts: Parts, sketch: Sketch) -> DemoPerson:
    account = account_with(session, sketch.correo)
    assert isinstance(account, Account)
    found = codes_of_account(session, account.id)
    code, tag = found.product_codes[0] if found.product_codes else "", _tag(parts, sketch)
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
