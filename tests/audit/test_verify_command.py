"""`ficha audit verify`, as an operator types it."""

from pathlib import Path

import pytest
from sqlalchemy import update
from typer.testing import CliRunner, Result

from ficha.audit.log import Actor, AuditEntry, note
from ficha.cli.audit import app
from ficha.core.db import Database
from tests.audit.tampering import tampering_with
from tests.clock import MovableClock


@pytest.fixture
def chain(database: Database) -> Database:
    with database.writing() as session:
        for record in (7, 8):
            for _ in range(3):
                note(session, record, Actor("account", 1), "record.read", ["salud"], MovableClock().now())
    return database


def ficha_audit(*words: str, database_url: str, tmp_path: Path) -> Result:
    env = {"FICHA_DATABASE_URL": database_url, "FICHA_DATA_DIR": str(tmp_path)}
    return CliRunner().invoke(app, list(words), env=env)


def test_a_whole_log_is_said_to_be_so(chain: Database, database_url: str, tmp_path: Path) -> None:
    answer = ficha_audit("verify", database_url=database_url, tmp_path=tmp_path)
    assert answer.exit_code == 0 and "whole" in answer.stderr


def test_a_row_altered_by_hand_is_found_and_named(chain: Database, database_url: str, tmp_path: Path) -> None:
    with tampering_with(chain) as session:
        session.execute(update(AuditEntry).where(AuditEntry.record_id == 8, AuditEntry.seq == 2).values(actor="tag"))
    answer = ficha_audit("verify", database_url=database_url, tmp_path=tmp_path)
    assert answer.exit_code == 1
    (row,) = [line.split("│")[1:4] for line in answer.stdout.splitlines() if "altered" in line]
    assert [cell.strip() for cell in row] == ["8", "2", "altered"]
    assert ficha_audit("verify", "--record", "8", database_url=database_url, tmp_path=tmp_path).exit_code == 1
    assert ficha_audit("verify", "--record", "7", database_url=database_url, tmp_path=tmp_path).exit_code == 0


def test_it_explains_itself_with_an_example(tmp_path: Path) -> None:
    assert "Example" in ficha_audit("verify", "--help", database_url="", tmp_path=tmp_path).stdout
