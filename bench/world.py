"""Seeded data, made with the service's own functions in the database under test."""

from collections.abc import Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy.orm import Session

from bench.entries.entry import Seed
from bench.seeding import Reader, Seeder
from ficha.accounts.accounts import Account
from ficha.accounts.clave import hash_clave
from ficha.accounts.tokens import Caller, issue_token
from ficha.core.settings import Settings
from ficha.demo.records import PUPIL
from ficha.enrolment.registration import NewPerson, codes_of_account, register
from ficha.fmd.access import open_fmd
from ficha.fmd.changes import patch_models
from ficha.parts import Parts, build_parts
from ficha.products.codes import issue_code

PEOPLE = 200
RECORDS = 1_000
STICKERS = 100
CLAVE = "caballo-bateria-grapa"


class World:
    def __init__(self, data_dir: Path, database_url: str) -> None:
        self.parts = build_parts(Settings(data_dir=data_dir, database_url=SecretStr(database_url)))
        self._readers: list[Reader] = []
        self._stickers: list[str] = []
        clave_hash = hash_clave(CLAVE)
        with self.parts.database.writing() as session:
            self.people = [
                register(session, _person(number, clave_hash), self.parts.keyring, self.parts.clock.now())
                for number in range(PEOPLE)
            ]

    def tokens(self, count: int) -> list[Seed]:
        with self.parts.database.writing() as session:
            return [
                {"token": issue_token(session, person, self.parts.clock.now(), 60).text} for person in self._some(count)
            ]

    def claves(self, count: int) -> list[Seed]:
        return [{"correo": person.correo, "clave": CLAVE} for person in self._some(count)]

    def readers(self, count: int) -> list[Seed]:
        """People with a record, dealt out among the connections."""
        if not self._readers:
            self._readers = Seeder(self.parts).add(RECORDS)
        return deal(self._readers, count)

    def stickers(self, count: int) -> list[Seed]:
        """Of people with a full record, dealt out among the connections."""
        if not self._stickers:
            with self.parts.database.writing() as session:
                self._stickers = [sticker(session, self.parts, person) for person in self.people[:STICKERS]]
        return [{"paths": "\n".join(self._stickers[start::count])} for start in range(min(count, STICKERS))]

    def close(self) -> None:
        self.parts.database.close()

    def _some(self, count: int) -> list[Account]:
        return list(islice(cycle(self.people), count))


def sticker(session: Session, parts: Parts, account: Account, record: Mapping[str, Any] = PUPIL) -> str:
    """The path that somebody's sticker opens, after her record was filled in."""
    now = parts.clock.now()
    [code] = codes_of_account(session, account.id).product_codes
    caller = Caller(account.id, 0, "", frozenset(account.roles))
    fmd = open_fmd(session, parts.keyring, caller, code, now)
    patch_models(session, fmd, record, now)
    issued = issue_code(session, now, record_id=fmd.id)
    return f"/e/{issued.code}/{issued.tag}"


def _person(number: int, clave_hash: str) -> NewPerson:
    return NewPerson(
        correo=f"persona{number:04}@bench.example",
        clave_hash=clave_hash,
        nombre=f"María Rojas {number:04}",
        cod_telefono="+58",
        telefono=f"412555{number:04}",
    )


def deal(readers: list[Reader], count: int) -> list[Seed]:
    return [{"people": "\n".join(f"{one.code} {one.token}" for one in readers[start::count])} for start in range(count)]
