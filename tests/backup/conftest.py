"""A service with people, files and a log, and what it looks like: before a backup, and after a restore."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from ficha.audit.chain import AuditEntry
from ficha.audit.jobs import ANCHOR
from ficha.backup.making import make_backup
from tests.databases import disconnect
from tests.world import World


@pytest.fixture
def served(world: World) -> Iterator[World]:
    """With three people, two stored files, a mail, an anchor that was signed and copied, and a read that is only noted
    in a file."""
    world.clock.catch_up()  # Commands go by the machine's time.
    people = [world.register(nombre=f"Persona {number}") for number in range(3)]
    people[0].post("/v2/email/request-code")
    world.run_jobs()
    world.do(ANCHOR)
    for name in ("1" * 16, "2" * 16):
        world.parts.storage.put(name, b"sealed")
    world.parts.read_log.note(1, "account:1", "record.read", ["salud"], world.clock.now(), via="owner", origin="::1")
    yield world
    stop(world)


@pytest.fixture
def archive(served: World, tmp_path: Path) -> Path:
    file = tmp_path / "backup.zip"
    make_backup(served.parts, file, silent)
    return file


def silent(_what: str, _done: int, _total: int) -> None:
    """Shows no progress."""


def stop(world: World) -> None:
    """As far as the database can see, nobody is connected to it any more."""
    world.parts.database.close()
    disconnect(world.parts.settings.database)


def entries(world: World) -> list[tuple[int, int, bytes]]:
    """The log: record, place and hash of each entry."""
    columns = (AuditEntry.record_id, AuditEntry.seq, AuditEntry.hash)
    with world.parts.database.reading() as tx:
        rows = tx.orm.execute(select(*columns).order_by(*columns[:2]))
        return [(row.record_id, row.seq, row.hash) for row in rows]


def leftovers(folder: Path) -> list[Path]:
    return list(folder.rglob(".ficha-unfinished-*"))
