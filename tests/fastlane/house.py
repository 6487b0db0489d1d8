"""The lane as a test sees it: in front of the application, with a log that can be read back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from httpx2 import Response
from sqlalchemy import select
from starlette.testclient import TestClient

from ficha.fastlane import FastLane
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.entries import Entry, save
from ficha.fmd.grants import Grant, GrantKind, grant_access
from ficha.fmd.records import Record, records_of
from tests.world import Person, World


@dataclass
class KeptReads:
    """A read log in memory. `fails` is raised instead, when set."""

    notes: list[tuple[int, str, str, list[str], str, str]] = field(default_factory=list)
    fails: OSError | None = None

    def note(
        self, record_id: int, actor: str, action: str, what: Sequence[str], at: datetime, *, via: str, origin: str
    ) -> None:
        if self.fails is not None:
            raise self.fails
        assert at.tzinfo is not None
        self.notes.append((record_id, actor, action, list(what), via, origin))


@dataclass
class Lane:
    world: World
    reads: KeptReads = field(default_factory=KeptReads)

    def __post_init__(self) -> None:
        self.app = lane_for(self.world, self.reads)
        self.client = TestClient(self.app, raise_server_exceptions=False)

    def get(self, path: str, who: Person | None = None, /, **headers: str) -> Response:
        shown = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.get(path, headers=(who.headers if who else {}) | shown)

    def data(self, path: str, who: Person) -> Any:
        answer = self.get(path, who)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def record_of(self, person: Person) -> Record:
        with self.world.parts.database.reading() as session:
            return records_of(session, person.id)[0]

    def save(self, person: Person, **documents: Document) -> None:
        """New versions of some models, as the writing functions store them."""
        with self.world.parts.database.writing() as session:
            record = records_of(session, person.id)[0]
            key = record.open_key(self.world.parts.keyring)
            for model, document in documents.items():
                record.version += 1
                save(session, record, key, model, document, f"account:{person.id}", self.world.clock.now())

    def grant(self, owner: Person, other: Person, kind: GrantKind, *, days: float = 1) -> Grant:
        now = self.world.clock.now()
        with self.world.parts.database.writing() as session:
            record = records_of(session, owner.id)[0]
            grant, _ = grant_access(
                session, record, other.correo, kind, now, ends_at=now + timedelta(days=days), edits=False
            )
            return grant

    def damage(self, person: Person, model: str) -> None:
        with self.world.parts.database.writing() as session:
            record = records_of(session, person.id)[0]
            entry = session.scalars(select(Entry).where(Entry.record_id == record.id, Entry.model == model)).one()
            entry.sealed = entry.sealed[:-1] + bytes([entry.sealed[-1] ^ 1])


def lane_for(world: World, reads: KeptReads) -> FastLane:
    state = world.app.state
    return FastLane(world.app, world.parts, state.limiter, state.metrics, reads, state.trusted_proxies)


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def path_of(person: Person, below: str = "") -> str:
    return f"/v2/fmd/{code_of(person)}{below}"


def example(model: str) -> Document:
    found = CATALOG.find(model)
    assert found is not None
    return dict(found.about.example)


SALUD = example("salud")
