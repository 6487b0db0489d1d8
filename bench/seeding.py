"""Adds many records quickly: the rows that the service would write, written in the fastest way of each database."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from ficha.accounts.login import hash_clave
from ficha.core.crypto import new_key
from ficha.core.ids import CODE_ALPHABET, CODE_LENGTH, random_text, secret_hash
from ficha.fmd.base import has_data
from ficha.fmd.catalog import CATALOG
from ficha.fmd.documents import prepare_document
from ficha.fmd.entries import seal_document
from ficha.parts import Parts
from ficha.products.product import new_tag, tag_hash

BATCH = 2_000
TOKENS = 1_000  # So many people get a token, spread over all.
MODELS = [model.about.wire for model in CATALOG]

# How many people of a hundred have filled in each model. A guess: most have the ones that are asked for first.
SHARES = {
    "personal": 100,
    "modulo": 100,
    "emergencia": 90,
    "consentimiento": 80,
    "alergiasm": 60,
    "salud": 60,
    "alergiasa": 50,
    "medicacion": 50,
    "cuerpo": 50,
    "vacuna": 40,
    "poliza": 40,
    "preferencia": 25,
    "estudiante": 20,
    "personalsermed": 20,
    "representante": 15,
    "cardiologico": 15,
    "consideracion": 10,
}

COLUMNS = {
    "accounts": "id correo correo_key clave_hash nombre cod_telefono telefono telefono_e164 idioma roles created_at",
    "records": "id account_id relacion template_type version created_at key_id wrapped_key",
    "products": "code is_bp state record_id tag_hash issued_at claimed_at",
    "entries": "record_id model version has_data sealed updated_at",
    "entry_versions": "record_id model version change at actor sealed",
    "tokens": "id account_id hash session_key created_at expires_at",
}

Rows = dict[str, list[tuple[Any, ...]]]


@dataclass(frozen=True)
class RecordOwner:
    """A person whose record a measurement can read: a code of it and a token."""

    code: str
    token: str


class Seeder:
    """Adds records to a database. The same seed gives the same share of models; keys and codes are random."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._random = Random(7)
        self._now = parts.clock.now()
        self._clave_hash = hash_clave("caballo-bateria-grapa")
        # As the service would store them: with what it adds and spells itself.
        self._documents = {
            model.about.wire: prepare_document(model, model.about.example, model.about.example, self._now)
            for model in CATALOG
        }
        self._codes: set[str] = set()

    def add(self, count: int, report: Callable[[int], None] = lambda _done: None) -> list[RecordOwner]:
        """Adds so many records. `report` is called with the number of people after each batch."""
        first = self._highest("accounts") + 1
        # In rising order the tables grow at their end, as they would with time.
        numbers = sorted(self._random.sample(range(1, 2**31 - 1), count))
        self._codes = {code for (code,) in self._query("SELECT code FROM products")}
        taken = {number for (number,) in self._query("SELECT id FROM records")}
        people = [(first + place, number) for place, number in enumerate(numbers) if number not in taken]
        each = max(1, count // TOKENS)
        owners: list[RecordOwner] = []
        token_id = self._highest("tokens")
        for start in range(0, len(people), BATCH):
            batch = people[start : start + BATCH]
            rows: Rows = {table: [] for table in COLUMNS}
            for account_id, record_id in batch:
                code = self._person(rows, account_id, record_id)
                if account_id % each == 0:
                    token_id += 1
                    owners.append(RecordOwner(code, self._token(rows, token_id, account_id)))
            _write(self._parts, rows)
            report(len(batch))
        _update_statistics(self._parts)
        return owners

    def _person(self, rows: Rows, account_id: int, record_id: int) -> str:
        now, correo = self._now, f"persona{account_id}@siembra.example"
        roles = json.dumps(["owner"])
        rows["accounts"].append(
            (account_id, correo, correo, self._clave_hash, "María Rojas", "+58", "4125551111", None, "es", roles, now)
        )
        key = new_key()
        wrapped = self._parts.keyring.wrap(key, f"record:{record_id}")
        chosen = [model for model in MODELS if self._random.randrange(100) < SHARES[model]]
        rows["records"].append(
            (record_id, account_id, "titular", "general", len(chosen), now, wrapped.key_id, wrapped.sealed)
        )
        code = self._new_code()
        rows["products"].append((code, False, "active", record_id, tag_hash(new_tag()), now, now))
        for change, model in enumerate(chosen, start=1):
            document = self._documents[model]
            sealed = seal_document(key, record_id, model, 1, document)
            rows["entries"].append((record_id, model, 1, has_data(document), sealed, now))
            rows["entry_versions"].append((record_id, model, 1, change, now, f"account:{account_id}", sealed))
        return code

    def _token(self, rows: Rows, token_id: int, account_id: int) -> str:
        secret = random_text(48)
        # It lives as long as a long run.
        ends = self._now + timedelta(days=2)
        rows["tokens"].append((token_id, account_id, secret_hash(secret), random_text(12), self._now, ends))
        return f"{token_id}|{secret}"

    def _new_code(self) -> str:
        while True:
            code = "".join(self._random.choices(CODE_ALPHABET, k=CODE_LENGTH))
            if code not in self._codes:
                self._codes.add(code)
                return code

    def _highest(self, table: str) -> int:
        return int(next(iter(self._query(f"SELECT coalesce(max(id), 0) FROM {table}")))[0])

    def _query(self, sql: str) -> Sequence[Any]:
        with self._parts.database.engine.connect() as connection:
            return connection.exec_driver_sql(sql).all()


def _write(parts: Parts, rows: Rows) -> None:
    connection = parts.database.engine.raw_connection()
    driver: Any = connection.driver_connection
    try:
        if parts.database.is_sqlite:
            driver.execute("BEGIN IMMEDIATE")
            for table, made in rows.items():
                columns = COLUMNS[table].split()
                places = ", ".join("?" * len(columns))
                driver.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", _texts(made))
            driver.execute("COMMIT")
        else:
            with driver.cursor() as cursor:
                for table, made in rows.items():
                    with cursor.copy(f"COPY {table} ({', '.join(COLUMNS[table].split())}) FROM STDIN") as copy:
                        for row in made:
                            copy.write_row(row)
            driver.commit()
    finally:
        connection.close()


def _texts(rows: list[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """SQLite keeps times as text without a zone."""
    for row in rows:
        yield tuple(
            value.isoformat(" ", "microseconds")[:26] if isinstance(value, datetime) else value for value in row
        )


def _update_statistics(parts: Parts) -> None:
    """Sets the sequences after the rows written without them, and lets the planner know the sizes of the tables."""
    with parts.database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if parts.database.is_sqlite:
            return
        for table in ("accounts", "tokens"):
            connection.exec_driver_sql(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest(max(id), 1)) FROM {table}"
            )
        connection.exec_driver_sql("VACUUM ANALYZE")
