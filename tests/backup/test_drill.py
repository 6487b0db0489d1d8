"""`ficha backup`, `ficha restore` and the drill, as an operator types them."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update

from ficha.audit.chain import AuditEntry
from ficha.backup.making import backup_in
from tests.audit.tampering import tampering_with
from tests.backup.conftest import entries, leftovers, stop
from tests.processes import environment, ficha
from tests.world import World


def test_the_drill_prints_its_time_and_leaves_nothing(served: World, tmp_path: Path) -> None:
    settings = served.parts.settings
    env = environment(settings.database, settings.data_dir)
    rows, log = served.rows(), entries(served)
    said = json.loads(ficha("backup", "drill", "--json", env=env).stdout)
    assert said["backup_seconds"] >= 0 and said["restore_seconds"] > 0
    assert said["entries"] == len(log) + 1 and said["pending_reads"] == 1
    assert "log is whole" in ficha("backup", "drill", env=env).stderr
    assert served.rows() == rows and entries(served) == log and leftovers(tmp_path) == []


def test_a_backup_with_keys_says_what_that_means(served: World, tmp_path: Path) -> None:
    settings = served.parts.settings
    env = environment(settings.database, settings.data_dir)
    made = ficha("backup", "--to", str(tmp_path / "with.zip"), "--with-keys", env=env)
    assert "can read every record" in made.stderr
    again = ficha("backup", "--to", str(tmp_path / "with.zip"), env=env, check=False)
    assert again.returncode == 1 and "exists already" in again.stderr and "Traceback" not in again.stderr


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_folder_that_is_not_there_does_not_become_a_file(served: World, tmp_path: Path) -> None:
    """As while its disk is not mounted: the second night would find a file in its place."""
    env = environment(served.parts.settings.database, served.parts.settings.data_dir)
    folder = tmp_path / "backups"
    for written in (str(folder), f"{folder}/"):
        refused = ficha("backup", "--to", written, env=env, check=False)
        assert refused.returncode == 2 and f"There is no folder {folder}." in refused.stderr
        assert not folder.exists()
    folder.mkdir()
    ficha("backup", "--to", f"{folder}/", env=env)
    assert len(list(folder.iterdir())) == 1


def test_backups_of_one_second_get_a_name_each(tmp_path: Path) -> None:
    now = datetime(2026, 11, 17, 3, 7, 4, tzinfo=UTC)
    for name in ("ficha-20261117-030704.zip", "ficha-20261117-030704-2.zip", "ficha-20261117-030704-3.zip"):
        target = backup_in(tmp_path, now)
        assert target == tmp_path / name
        target.touch()


def test_a_log_that_is_broken_is_not_restored_unless_said(served: World, tmp_path: Path) -> None:
    settings = served.parts.settings
    env = environment(settings.database, settings.data_dir)
    record, seq, _ = entries(served)[0]
    with tampering_with(served.parts.database) as tx:
        tx.orm.execute(
            update(AuditEntry).where(AuditEntry.record_id == record, AuditEntry.seq == seq).values(actor="nobody")
        )
    ficha("backup", "--to", str(tmp_path / "one.zip"), env=env)
    stop(served)
    refused = ficha("restore", str(tmp_path / "one.zip"), "--replace", env=env, check=False)
    assert refused.returncode == 1 and "altered" in refused.stdout and "--accept-faults" in refused.stderr
    said = json.loads(
        ficha("restore", str(tmp_path / "one.zip"), "--dry-run", "--accept-faults", "--json", env=env).stdout
    )
    assert [fault["fault"] for fault in said["faults"]] == ["altered"] and not said["restored"]
