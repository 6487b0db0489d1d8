"""A backup of a moment, and what is refused when it is put back."""

import json
import shutil
import threading
import tracemalloc
import zipfile
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import select, text

from ficha.audit.chain import AuditEntry
from ficha.audit.log import Actor, note
from ficha.audit.verify_log import verify_log
from ficha.backup.archive import MANIFEST, MOST_MANIFEST_BYTES, ArchiveReader
from ficha.backup.files import KEYS, BackupRefused
from ficha.backup.making import make_backup
from ficha.backup.restoring import RestoreChoices, restore
from ficha.jobs.queue import count_waiting, put
from tests.backup.conftest import entries, leftovers, silent, stop
from tests.waiting import eventually
from tests.world import World, settings_for

REPLACE = RestoreChoices(replace=True)
# Folders of files that are in no backup, or in another shape.
LEFT = ("reads", "mail")


class Writer:
    """Writes numbered transactions until it is stopped, each with an entry for two records and a job: at no moment
    does one have a number that the others have not."""

    RECORDS = (701, 702)
    KIND = "no.such.kind"

    def __init__(self, world: World) -> None:
        self.written = 0
        self._world = world
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._write)

    def __enter__(self) -> "Writer":
        self._thread.start()
        eventually(lambda: self.written >= 10)
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _write(self) -> None:
        for number in count(1):
            with self._world.parts.database.writing() as tx:
                for record in self.RECORDS:
                    note(tx, record, Actor("account", 1), "record.read", [str(number)], self._world.clock.now())
                put(tx, self.KIND, {"number": number})
            self.written = number
            if self._stopping.is_set():
                return

    def wait_for_another(self, *_progress: object) -> None:
        """Between any two steps of the backup, something is written."""
        seen = self.written
        eventually(lambda: self.written > seen)


def numbers(world: World, record: int) -> list[int]:
    query = select(AuditEntry.what).where(AuditEntry.record_id == record).order_by(AuditEntry.seq)
    with world.parts.database.reading() as tx:
        return [int(what[0]) for what in tx.orm.scalars(query)]


def test_a_backup_under_load_is_a_moment_that_really_was(served: World, tmp_path: Path) -> None:
    file = tmp_path / "backup.zip"
    pending = served.parts.settings.data_dir / "reads"
    with Writer(served) as writer:
        before = writer.written
        make_backup(served.parts, file, writer.wait_for_another)
        assert any(path.stat().st_size for path in pending.iterdir()), "a read is to wait in its file"
    whole = entries(served)
    people = served.rows()["accounts"]
    stop(served)

    done = restore(served.parts.settings, file, silent, REPLACE)

    assert done.faults == [] and done.is_in_place
    first, second = (numbers(served, record) for record in Writer.RECORDS)
    assert first == second == list(range(1, len(first) + 1))
    with served.parts.database.reading() as tx:
        assert count_waiting(tx)[Writer.KIND] == len(first)
    assert before <= len(first) < writer.written
    restored = entries(served)
    assert done.pending_reads == 1 and len(set(restored) - set(whole)) == 1, "the read that waited, and nothing else"
    assert served.rows()["accounts"] == people
    parts = served.parts
    assert verify_log(parts.database, parts.secrets, parts.clock.now(), [parts.settings.anchor_path], print) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_service_on_another_machine_comes_back_from_the_archive_and_the_keys(
    served: World, archive: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    settings = settings_for(f"sqlite:///{there}/ficha.db", there)
    with pytest.raises(BackupRefused, match="no keys here"):
        restore(settings, archive, silent, RestoreChoices())
    there.mkdir(exist_ok=True)
    shutil.copy(served.parts.settings.key_path, there)
    restore(settings, archive, silent, RestoreChoices())
    here = served.parts.settings.data_dir
    names = {path.relative_to(here) for path in here.rglob("*") if path.is_file() and path.parent.name not in LEFT}
    found = {path.relative_to(there) for path in there.rglob("*") if path.is_file()}
    assert not any(name.suffix == ".eml" for name in found) and Path("anchors/00000001.json") in found
    # The reads that waited are in the log now; the tests keep their database elsewhere.
    assert found == names | {Path("ficha.db")}


def test_the_archive_holds_no_key_unless_asked_for(served: World, archive: Path, tmp_path: Path) -> None:
    secrets = [entry["key"] for entry in json.loads(served.parts.settings.key_path.read_text())["keys"]]
    with zipfile.ZipFile(archive) as content:
        for name in content.namelist():
            assert not any(secret.encode() in content.read(name) for secret in secrets), name
    assert archive.stat().st_mode & 0o077 == 0
    make_backup(served.parts, tmp_path / "with.zip", silent, with_keys=True)
    assert KEYS in ArchiveReader(tmp_path / "with.zip").manifest.members


@pytest.mark.oldest_postgresql
def test_the_archive_holds_nothing_that_lies_in_clear_beside_the_database(served: World, tmp_path: Path) -> None:
    """Mails of the sandbox have codes and links that open accounts; a roster is in clear while it is read."""
    data = served.parts.settings.data_dir
    assert list((data / "sandbox" / "mail").glob("*.eml"))
    for place in ("sandbox/whatsapp.json", "nominas/7/nomina.xlsx", "files/11/kept"):
        (data / place).parent.mkdir(parents=True, exist_ok=True)
        (data / place).write_text("Ana")
    make_backup(served.parts, tmp_path / "a.zip", silent)
    members = ArchiveReader(tmp_path / "a.zip").names("files")
    assert "files/files/11/kept" in members
    assert not [name for name in members if "sandbox" in name or "nomina" in name]


def test_an_archive_that_unpacks_to_more_than_it_says_is_refused(tmp_path: Path) -> None:
    """Of a member that is packed in another way than ours, the library unpacks a few bytes into gigabytes at once."""
    swelling, long = tmp_path / "swelling.zip", tmp_path / "long.zip"
    with zipfile.ZipFile(swelling, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(MANIFEST, bytes(40_000_000))
    with zipfile.ZipFile(long, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(MANIFEST, "w") as member:
        for _ in range(MOST_MANIFEST_BYTES // 1_000_000 + 1):
            member.write(bytes(1_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(BackupRefused):
            ArchiveReader(swelling)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
    with pytest.raises(BackupRefused):
        ArchiveReader(long)


def test_a_database_with_data_is_not_replaced_unless_said(served: World, archive: Path) -> None:
    rows = served.rows()
    stop(served)
    with pytest.raises(BackupRefused, match="--replace"):
        restore(served.parts.settings, archive, silent, RestoreChoices())
    assert served.rows() == rows


def test_a_service_that_runs_is_not_replaced(served: World, archive: Path) -> None:
    rows = served.rows()
    with served.parts.database.engine.connect() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM accounts").all()
        with pytest.raises(BackupRefused, match="Stop"):
            restore(served.parts.settings, archive, silent, REPLACE)
    assert served.rows() == rows


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_service_that_was_just_stopped_is_waited_for(served: World, archive: Path) -> None:
    stop(served)
    connection = served.parts.database.engine.connect()
    connection.exec_driver_sql("SELECT count(*) FROM accounts").all()
    leaving = threading.Timer(0.3, served.parts.database.close)
    connection.close()  # Back to the pool: still seen by PostgreSQL.
    leaving.start()
    restore(served.parts.settings, archive, silent, REPLACE)
    leaving.join()


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_table_of_an_older_version_comes_back_for_the_migration_that_reads_it(served: World, tmp_path: Path) -> None:
    """No migration makes it any more, and what waited in it is not lost."""
    database, file = served.parts.database, tmp_path / "backup.zip"
    with database.writing() as tx:
        tx.orm.execute(text("CREATE TABLE of_old (id bigserial, args jsonb, at timestamptz)"))
        tx.orm.execute(text("INSERT INTO of_old (args) VALUES (CAST(:args AS jsonb))"), {"args": '{"n": 7}'})
    make_backup(served.parts, file, silent)
    with database.writing() as tx:
        tx.orm.execute(text("DROP TABLE of_old"))
    stop(served)
    try:
        restore(served.parts.settings, file, silent, REPLACE)
        with database.reading() as tx:
            found = tx.orm.execute(
                text("SELECT id, CAST(args AS jsonb), at, nextval('of_old_id_seq') FROM of_old")
            ).one()
        assert tuple(found) == ("1", {"n": 7}, None, 2)
    finally:
        with database.writing() as tx:
            tx.orm.execute(text("DROP TABLE IF EXISTS of_old"))
            tx.orm.execute(text("DROP SEQUENCE IF EXISTS of_old_id_seq"))


@pytest.mark.parametrize("what", ["member", "manifest", "torn", "other"])
def test_an_archive_that_was_altered_is_refused(served: World, archive: Path, tmp_path: Path, what: str) -> None:
    rows = served.rows()
    stop(served)
    altered = tmp_path / "altered.zip"
    if what == "torn":
        altered.write_bytes(archive.read_bytes()[:-100])
    elif what == "other":
        altered.write_text("not a zip")
    else:
        rewrite(archive, altered, what)
    with pytest.raises(BackupRefused):
        restore(served.parts.settings, altered, silent, REPLACE)
    assert served.rows() == rows and leftovers(tmp_path) == []


def rewrite(archive: Path, altered: Path, what: str) -> None:
    """One anchor is another's; with `manifest`, the manifest is told of it too, but nobody has the key to sign that."""
    reader = ArchiveReader(archive)
    anchor = next(name for name in reader.manifest.members if name.startswith("anchors/"))
    manifest = json.loads(reader.manifest_bytes)
    if what == "manifest":
        del manifest["members"][anchor]
    with zipfile.ZipFile(archive) as old, zipfile.ZipFile(altered, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == anchor:
                if what == "manifest":
                    continue
                content = content.replace(b"e", b"a")
            new.writestr(name, json.dumps(manifest) if name == MANIFEST else content)


def test_a_backup_of_the_other_database_or_of_a_newer_version_is_refused(
    served: World, archive: Path, tmp_path: Path
) -> None:
    for changes, sentence in (({"engine": "oracle"}, "the database here"), ({"schema_version": "9999"}, "newer")):
        altered = tmp_path / f"{sentence}.zip"
        with zipfile.ZipFile(archive) as old, zipfile.ZipFile(altered, "w") as new:
            for name in old.namelist():
                content = old.read(name)
                new.writestr(name, json.dumps(json.loads(content) | changes) if name == MANIFEST else content)
        with pytest.raises(BackupRefused, match=sentence):
            restore(served.parts.settings, altered, silent, REPLACE)
