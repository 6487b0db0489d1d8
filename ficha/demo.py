"""Demo people: enough to try everything on a laptop."""

from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Role, account_with
from ficha.accounts.clave import hash_clave
from ficha.enrolment.registration import NewPerson, belongings_of, register
from ficha.parts import Parts

CLAVE = "demo-demo-demo"


@dataclass(frozen=True)
class DemoPerson:
    nombre: str
    correo: str
    clave: str
    roles: list[str]
    fmd_code: int
    codes: list[str]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


PEOPLE = (
    ("Ana Pérez Rojas", "ana@demo.example", "4125551111", "madre", (Role.OWNER,)),
    ("Luis Molina", "luis@demo.example", "4125552222", "titular", (Role.OWNER,)),
    ("Inés Soporte", "soporte@demo.example", "4125553333", "titular", (Role.OWNER, Role.STAFF)),
    ("Administración", "admin@demo.example", "4125554444", "titular", (Role.OWNER, Role.ADMIN)),
)


def ensure_demo(parts: Parts) -> list[DemoPerson]:
    """Those who are missing are made; those who are there stay as they are."""
    with parts.database.reading() as session:
        missing = [person for person in PEOPLE if account_with(session, person[1]) is None]
    clave_hash = hash_clave(CLAVE) if missing else ""
    with parts.database.writing() as session:
        for nombre, correo, telefono, relacion, roles in missing:
            person = NewPerson(
                correo=correo,
                clave_hash=clave_hash,
                nombre=nombre,
                cod_telefono="+58",
                telefono=telefono,
                relacion=relacion,
                roles=roles,
            )
            register(session, person, parts.keyring, parts.clock.now())
        return [_shown(session, correo) for _, correo, *_ in PEOPLE]


def _shown(session: Session, correo: str) -> DemoPerson:
    account = account_with(session, correo)
    assert account is not None
    found = belongings_of(session, account.id)
    return DemoPerson(account.nombre, account.correo, CLAVE, account.roles, found.fmd_code, found.product_codes)
