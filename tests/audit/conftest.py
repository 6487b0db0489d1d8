"""A read log with its folder, and what its tests read and check."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert, select

from ficha.audit.chain import AuditEntry
from ficha.audit.read_log import ReadLog
from ficha.audit.verify_entries import verify_all
from ficha.core.db import Database
from ficha.fmd.records import Record
from tests.clock import MovableClock

NOW = MovableClock().now()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "reads"


@pytest.fixture
def reads(database: Database, folder: Path) -> Iterator[ReadLog]:
    """With five records that can be held, and one number, 6, that is nobody's."""
    with database.writing() as tx:
        rows = [{"id": number, "relacion": "madre", "created_at": NOW} for number in range(1, 6)]
        tx.orm.execute(insert(Record), rows)
    reads = ReadLog(folder, database)
    yield reads
    reads.stop()


def read(reads: ReadLog, record_id: int = 1, what: str = "salud") -> None:
    reads.note(record_id, "account:1", "record.read", [what], NOW, via="owner", origin="127.0.0.1")


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.reads") if path.stat().st_size)


def logged(database: Database) -> list[str]:
    """What was read, in the order of the log, which is whole."""
    with database.reading() as tx:
        assert verify_all(tx, lambda _: None) == []
        whats = tx.orm.scalars(select(AuditEntry.what).order_by(AuditEntry.record_id, AuditEntry.seq))
        return [name for what in whats for name in what]
