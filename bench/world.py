"""Seeded data, made with the service's own functions in the database under test."""

from itertools import cycle, islice
from pathlib import Path

from pydantic import SecretStr

from bench.entries.entry import Seed
from bench.seeding import Reader, Seeder
from ficha.accounts.accounts import Account
from ficha.accounts.clave import hash_clave
from ficha.accounts.tokens import issue_token
from ficha.core.settings import Settings
from ficha.enrolment.registration import NewPerson, register
from ficha.parts import build_parts

PEOPLE = 200
RECORDS = 1_000
CLAVE = "caballo-bateria-grapa"


class World:
    def __init__(self, data_dir: Path, database_url: str) -> None:
        self.parts = build_parts(Settings(data_dir=data_dir, database_url=SecretStr(database_url)))
        self._readers: list[Reader] = []
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

    def close(self) -> None:
        self.parts.database.close()

    def _some(self, count: int) -> list[Account]:
        return list(islice(cycle(self.people), count))


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
