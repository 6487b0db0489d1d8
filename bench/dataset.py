"""The people and records of a run, made with the service's own functions in the database under test."""

from collections.abc import Mapping
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import text

from bench.requests import Seed
from bench.seeding import RecordOwner, Seeder
from ficha.accounts.accounts import AccountRow
from ficha.accounts.login import hash_clave
from ficha.accounts.tokens import Caller, issue_token
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.demo.records import PUPIL
from ficha.enrolment.registration import NewPerson, register
from ficha.exchange.health_links.links import NewHealthLink, create_health_link
from ficha.fmd.access import OpenFmd, open_fmd
from ficha.fmd.changes import patch_models
from ficha.fmd.record_codes import codes_of_account
from ficha.parts import Parts, build_parts
from ficha.products.codes import issue_code

PEOPLE = 200
RECORDS = 1_000
STICKERS = 100
CLAVE = "caballo-bateria-grapa"


class Dataset:
    def __init__(self, data_dir: Path, database_url: str) -> None:
        self.parts = build_parts(Settings(data_dir=data_dir, database_url=SecretStr(database_url)))
        self.parts.secrets.ensure_root()
        self._owners: list[RecordOwner] = []
        self._stickers: list[str] = []
        self._links: list[str] = []
        clave_hash = hash_clave(CLAVE)
        with self.parts.database.writing() as tx:
            self.people = [
                register(tx, _person(number, clave_hash), self.parts.keyring, self.parts.clock.now())
                for number in range(PEOPLE)
            ]

    def tokens(self, count: int) -> list[Seed]:
        with self.parts.database.writing() as tx:
            return [
                {"token": issue_token(tx, person, self.parts.clock.now(), 60).text} for person in self._cycled(count)
            ]

    def claves(self, count: int) -> list[Seed]:
        return [{"correo": person.correo, "clave": CLAVE} for person in self._cycled(count)]

    def record_owners(self, count: int) -> list[Seed]:
        """People with a record, split among the connections."""
        if not self._owners:
            self._owners = Seeder(self.parts).add(RECORDS)
        return split_among(self._owners, count)

    def empty_record_owners(self, count: int) -> list[Seed]:
        """People with a record in which there is nothing yet, split among the connections."""
        with self.parts.database.writing() as tx:
            owners = [self._owner(tx, person) for person in self.people[STICKERS:]]
        return split_among(owners, count)

    def stickers(self, count: int) -> list[Seed]:
        """The stickers of people with a full record, split among the connections."""
        if not self._stickers:
            with self.parts.database.writing() as tx:
                self._stickers = [new_sticker(tx, self.parts, person) for person in self.people[:STICKERS]]
        return [{"paths": "\n".join(self._stickers[start::count])} for start in range(min(count, STICKERS))]

    def health_links(self, count: int) -> list[Seed]:
        """The links of people with a full record, split among the connections."""
        if not self._links:
            self.stickers(1)
            with self.parts.database.writing() as tx:
                self._links = [self._new_link(tx, person) for person in self.people[:STICKERS]]
        return [{"paths": "\n".join(self._links[start::count])} for start in range(min(count, STICKERS))]

    def execute(self, sql: str) -> None:
        with self.parts.database.writing() as tx:
            tx.orm.execute(text(sql))

    def close(self) -> None:
        self.parts.database.close()

    def _owner(self, tx: Transaction, person: AccountRow) -> RecordOwner:
        [code] = codes_of_account(tx, person.id).product_codes
        return RecordOwner(code, issue_token(tx, person, self.parts.clock.now(), 60).text)

    def _new_link(self, tx: Transaction, person: AccountRow) -> str:
        now = self.parts.clock.now()
        asked = NewHealthLink("Para la consulta", now + timedelta(days=1))
        made = create_health_link(tx, _own_record(tx, self.parts, person), person.id, asked, now)
        return f"/shl/{made.secret}"

    def _cycled(self, count: int) -> list[AccountRow]:
        return list(islice(cycle(self.people), count))


def new_sticker(tx: Transaction, parts: Parts, account: AccountRow, record: Mapping[str, Any] = PUPIL) -> str:
    """Fills in a person's record and returns the path that a new sticker of theirs opens."""
    now = parts.clock.now()
    fmd = _own_record(tx, parts, account)
    patch_models(tx, fmd, record, now)
    issued = issue_code(tx, now, record_id=fmd.id)
    return f"/e/{issued.code}/{issued.tag}"


def _own_record(tx: Transaction, parts: Parts, account: AccountRow) -> OpenFmd:
    code = codes_of_account(tx, account.id).product_codes[0]
    return open_fmd(tx, parts.keyring, Caller(account.id, 0, "", frozenset(account.roles)), code, parts.clock.now())


def _person(number: int, clave_hash: str) -> NewPerson:
    return NewPerson(
        correo=f"persona{number:04}@bench.example",
        clave_hash=clave_hash,
        nombre=f"María Rojas {number:04}",
        cod_telefono="+58",
        telefono=f"412555{number:04}",
    )


def split_among(owners: list[RecordOwner], count: int) -> list[Seed]:
    """One seed for each of so many connections, with every person in one of them."""
    return [{"people": "\n".join(f"{one.code} {one.token}" for one in owners[start::count])} for start in range(count)]
