"""The people of a proof: owners with a sticker, a record that says which write it holds, and a contact to alert."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import httpx

from ficha.accounts.accounts import Role
from ficha.accounts.login import hash_clave
from ficha.accounts.tokens import issue_token
from ficha.enrolment.registration import NewPerson, register
from ficha.fmd.records import records_of
from ficha.parts import Parts
from ficha.products.codes import issue_code

CLAVE = "caballo-bateria-grapa"
TOKEN_MINUTES = 24 * 60
IN_ONE_TRANSACTION = 50


@dataclass
class Owner:
    """`tried` and `acknowledged`: the number of the last write of the record that was begun, and that was answered."""

    number: int
    token: str
    code: str
    tag: str
    tried: int = 0
    acknowledged: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    @property
    def record_path(self) -> str:
        return f"/v2/fmd/{self.code}/personal"

    @property
    def page(self) -> str:
        return f"/e/{self.code}/{self.tag}"

    @property
    def phone(self) -> str:
        """Of the contact, as the platform writes it."""
        return f"58412{5_000_000 + self.number}"

    def document(self, number: int) -> dict[str, str]:
        return {"nombres": "Ana Lucía", "apellidos": f"Serie {number:06d}"}


def enrol(parts: Parts, count: int) -> Iterator[Owner]:
    clave = hash_clave(CLAVE)
    for first in range(0, count, IN_ONE_TRANSACTION):
        with parts.database.writing() as tx:
            now = parts.clock.now()
            for number in range(first, min(first + IN_ONE_TRANSACTION, count)):
                person = NewPerson(
                    correo=f"owner{number}@proof.example", clave_hash=clave, nombre="Ana", roles=(Role.OWNER,)
                )
                account = register(tx, person, parts.keyring, now)
                token = issue_token(tx, account, now, TOKEN_MINUTES).text
                (record,) = records_of(tx, account.id)
                issued = issue_code(tx, now, record_id=record.id)
                yield Owner(number, token, issued.code, issued.tag)


def fill(url: str, owners: Sequence[Owner]) -> None:
    """Who she is, and whom to call."""
    with httpx.Client(base_url=url, timeout=30) as client:
        for owner in owners:
            contact = {
                "nombre": "María Rojas",
                "relacion": "madre",
                "cod_telefono": "+58",
                "telefono": owner.phone.removeprefix("58"),
                "prioridad": 1,
            }
            for model, document in (("personal", owner.document(0)), ("emergencia", {"contactos": [contact]})):
                path = f"/v2/fmd/{owner.code}/{model}"
                client.put(path, json=document, headers=owner.headers).raise_for_status()
