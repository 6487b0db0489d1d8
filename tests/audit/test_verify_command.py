"""`ficha audit verify`, as an operator types it."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update
from typer.testing import CliRunner, Result

from ficha.audit.chain import CHAIN_START, AuditEntry, ChainLink, LoggedFact, bare_hash
from ficha.audit.jobs import ANCHOR
from ficha.audit.log import Actor, note
from ficha.audit.statements import insert_entry
from ficha.cli.audit import app
from ficha.core.clock import SystemClock
from ficha.core.db import Database
from tests.audit.tampering import tampering_with
from tests.world import World


@pytest.fixture
def chain(world: World) -> Database:
    world.clock.catch_up()  # The command goes by the machine's time.
    database = world.parts.database
    with database.writing() as tx:
        for record in (7, 8):
            for _ in range(3):
                note(tx, record, Actor("account", 1), "record.read", ["salud"], world.clock.now())
    world.do(ANCHOR)
    return database


def ficha_audit(*words: str, database_url: str, tmp_path: Path) -> Result:
    env = {"FICHA_DATABASE_URL": database_url, "FICHA_DATA_DIR": str(tmp_path / "data")}
    return CliRunner().invoke(app, list(words), env=env)


def test_a_whole_log_is_said_to_be_so(chain: Database, database_url: str, tmp_path: Path) -> None:
    answer = ficha_audit("verify", database_url=database_url, tmp_path=tmp_path)
    assert answer.exit_code == 0 and "whole" in answer.stderr


def test_a_row_altered_by_hand_is_found_and_named(chain: Database, database_url: str, tmp_path: Path) -> None:
    with tampering_with(chain) as tx:
        tx.orm.execute(update(AuditEntry).where(AuditEntry.record_id == 8, AuditEntry.seq == 2).values(actor="tag"))
    answer = ficha_audit("verify", database_url=database_url, tmp_path=tmp_path)
    assert answer.exit_code == 1
    (row,) = [line.split("│")[1:4] for line in answer.stdout.splitlines() if "altered" in line]
    assert [cell.strip() for cell in row] == ["8", "2", "altered"]
    assert ficha_audit("verify", "--record", "8", database_url=database_url, tmp_path=tmp_path).exit_code == 1
    assert ficha_audit("verify", "--record", "7", database_url=database_url, tmp_path=tmp_path).exit_code == 0


def test_a_log_from_before_it_had_a_key_says_what_to_do(world: World, database_url: str, tmp_path: Path) -> None:
    """As right after an upgrade: hashes without a key, and no anchor yet."""
    world.clock.catch_up()
    now = world.clock.now() - timedelta(days=30)
    with world.parts.database.writing() as tx:
        for record in (7, 8):
            previous = CHAIN_START.hash
            for seq in (1, 2, 3):
                fact = LoggedFact(record, now, "tag", "record.read", ["salud"], "tag", "", None)
                link = ChainLink(seq, previous, bare_hash(fact, seq, previous))
                insert_entry(tx, fact, link)
                previous = link.hash
    for words in (("verify",), ("verify", "--record", "7")):
        answer = ficha_audit(*words, database_url=database_url, tmp_path=tmp_path)
        assert answer.exit_code == 1 and "broken" not in answer.stderr
        assert "ficha audit anchor" in answer.stderr
    assert ficha_audit("anchor", database_url=database_url, tmp_path=tmp_path).exit_code == 0
    assert "whole" in ficha_audit("verify", database_url=database_url, tmp_path=tmp_path).stderr
    with tampering_with(world.parts.database) as tx:
        tx.orm.execute(update(AuditEntry).where(AuditEntry.record_id == 8, AuditEntry.seq == 2).values(actor="x"))
    assert "1 broken" in ficha_audit("verify", database_url=database_url, tmp_path=tmp_path).stderr


def test_it_explains_itself_with_an_example(tmp_path: Path) -> None:
    assert "Example" in ficha_audit("verify", "--help", database_url="", tmp_path=tmp_path).stdout


def test_an_anchor_is_signed_when_asked_for_and_copied(chain: Database, database_url: str, tmp_path: Path) -> None:
    assert "Nothing new" in ficha_audit("anchor", database_url=database_url, tmp_path=tmp_path).stderr
    with chain.writing() as tx:
        note(tx, 7, Actor("account", 1), "record.read", [], SystemClock().now())
    answer = ficha_audit("anchor", database_url=database_url, tmp_path=tmp_path)
    assert answer.exit_code == 0 and "anchor 2" in answer.stderr
    copies = (tmp_path / "data" / "anchors").iterdir()
    assert sorted(copy.stem for copy in copies) == ["00000001", "00000002"]


def test_copies_that_are_not_there_vouch_for_nothing(chain: Database, database_url: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name in ("mistyped", "empty"):
        answer = ficha_audit("verify", "--copies", str(tmp_path / name), database_url=database_url, tmp_path=tmp_path)
        assert answer.exit_code == 2 and answer.stderr == f"There is no copy of an anchor at {tmp_path / name}.\n"
    copies = str(tmp_path / "data" / "anchors")
    for words, code in ((("--copies", copies), 0), (("--copies", copies, "--record", "7"), 2)):
        assert ficha_audit("verify", *words, database_url=database_url, tmp_path=tmp_path).exit_code == code


def test_a_log_under_another_key_is_said_to_be_so(chain: Database, database_url: str, tmp_path: Path) -> None:
    (tmp_path / "data" / "keys.json").unlink()
    answer = ficha_audit("verify", database_url=database_url, tmp_path=tmp_path)
    assert answer.exit_code == 1 and "does not open" in answer.stderr
