"""The lane as a test sees it: in front of the application, with what a test asks and changes."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from httpx2 import Response
from sqlalchemy import select
from starlette.testclient import TestClient

from ficha.app import create_app
from ficha.audit.chain import AuditEntry
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.entries import Entry
from ficha.fmd.grants import Grant, GrantKind, end_grants
from ficha.fmd.records import Record, records_of
from ficha.fmd.stored_documents import save_version, stored_documents
from ficha.parts import Parts
from tests.app_client import client_of
from tests.world import Person, World

READ_ACTIONS = ("record.read", "record.exists")


class NotedRead(NamedTuple):
    record_id: int
    actor: str
    action: str
    what: list[str]
    via: str
    origin: str


@dataclass
class Lane:
    world: World

    def __post_init__(self) -> None:
        self.app = self.world.app
        self.client = client_of(self.app)

    def get(self, path: str, who: Person | None = None, /, **headers: str) -> Response:
        shown = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.get(path, headers=(who.headers if who else {}) | shown)

    def data(self, path: str, who: Person) -> Any:
        answer = self.get(path, who)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def noted_reads(self) -> list[NotedRead]:
        """What the log of every record says about reads, oldest first."""
        self.world.drain_reads()
        with self.world.parts.database.reading() as tx:
            entries = tx.orm.scalars(
                select(AuditEntry).where(AuditEntry.action.in_(READ_ACTIONS)).order_by(AuditEntry.id)
            )
            return [NotedRead(*(getattr(entry, name) for name in NotedRead._fields)) for entry in entries]

    def with_parts(self, parts: Parts) -> TestClient:
        """A client of an application that is made of other parts."""
        return client_of(create_app(parts))

    def record_of(self, person: Person) -> Record:
        with self.world.parts.database.reading() as tx:
            return records_of(tx, person.id)[0]

    def save(self, person: Person, **documents: Document) -> None:
        """New versions of some models, as the writing functions store them."""
        with self.world.parts.database.writing() as tx:
            record = records_of(tx, person.id)[0]
            key = record.open_key(self.world.parts.keyring)
            stored = stored_documents(tx, record.id, key)
            for model, document in documents.items():
                record.version += 1
                last = stored[model].version if model in stored else 0
                actor, now = f"account:{person.id}", self.world.clock.now()
                record.stored_bytes += save_version(
                    tx, record.id, record.version, key, model, last, document, actor, now
                )

    def grant(self, owner: Person, other: Person, kind: GrantKind, *, days: float = 1) -> Grant:
        now = self.world.clock.now()
        with self.world.parts.database.writing() as tx:
            record = records_of(tx, owner.id)[0]
            end_grants(tx, record.id, now, Grant.account_id == other.id)
            ends_at = now + timedelta(days=days)
            grant = Grant(
                record_id=record.id, account_id=other.id, kind=kind, edits=False, granted_at=now, ends_at=ends_at
            )
            tx.orm.add(grant)
            return grant

    def damage(self, person: Person, model: str) -> None:
        with self.world.parts.database.writing() as tx:
            record = records_of(tx, person.id)[0]
            entry = tx.orm.scalars(select(Entry).where(Entry.record_id == record.id, Entry.model == model)).one()
            entry.sealed = entry.sealed[:-1] + bytes([entry.sealed[-1] ^ 1])


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def path_of(person: Person, below: str = "") -> str:
    return f"/v2/fmd/{code_of(person)}{below}"


def example(model: str) -> Document:
    found = CATALOG.find(model)
    assert found is not None
    return dict(found.about.example)


SALUD = example("salud")
