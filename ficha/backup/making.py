"""Makes a backup of one moment while the service runs. docs/decisions/0025-backups.md says why in this order."""

import os
from datetime import datetime
from pathlib import Path

from ficha import __version__
from ficha.backup.archive import ArchiveWriter, Manifest
from ficha.backup.files import (
    KEYS,
    READS,
    BackupRefused,
    Progress,
    anchor_files,
    copy_pending_reads,
    database_file,
    stored_files,
    working_folder,
)
from ficha.backup.postgres import postgres_snapshot
from ficha.backup.sqlite_copy import SqliteSnapshot, sqlite_snapshot
from ficha.parts import Parts

DATABASE = "database/ficha.db"
SIGNING = "backup"


def backup_in(folder: Path, now: datetime) -> Path:
    """A name that nothing has there: two backups of one second get one each."""
    name = f"ficha-{now:%Y%m%d-%H%M%S}"
    target, number = folder / f"{name}.zip", 1
    while target.exists():
        number += 1
        target = folder / f"{name}-{number}.zip"
    return target


def make_backup(parts: Parts, target: Path, progress: Progress, *, with_keys: bool = False) -> Manifest:
    """The file has its name when all of it is on the disk. Raises BackupRefused."""
    if target.exists():
        raise BackupRefused(f"{target} exists already. Give another name.")
    with working_folder(target.parent) as folder:
        archive = ArchiveWriter(folder / "archive.zip")
        try:
            manifest = _write(parts, archive, folder, progress, with_keys=with_keys)
        except BaseException:
            archive.abandon()
            raise
        (folder / "archive.zip").rename(target)
        _flush_folder(target.parent)
    return manifest


def _write(parts: Parts, archive: ArchiveWriter, folder: Path, progress: Progress, *, with_keys: bool) -> Manifest:
    settings, database = parts.settings, parts.database
    # Copies of anchors come before the moment of the database: it then has every anchor that they have.
    _add_files(archive, anchor_files(settings) | stored_files(settings), progress)
    if with_keys:
        if parts.keyring.file is None:
            source = parts.keyring.source.name
            raise BackupRefused(f"The keys come from {source}: copy them from there, without --with-keys.")
        archive.add_file(KEYS, parts.keyring.file)
    manifest = Manifest(
        version=__version__,
        schema_version="",  # Known at the moment of the database.
        engine="sqlite" if database.is_sqlite else "postgresql",
        made_at=parts.clock.now(),
    )
    reads = folder / READS
    copy_pending_reads(settings, reads)
    if database.is_sqlite:
        with sqlite_snapshot(database_file(settings)) as snapshot:
            manifest.schema_version = snapshot.schema_version()
            _add_since(parts, archive, reads, progress)
            _add_sqlite(archive, snapshot, folder / "ficha.db", progress)
    else:
        with postgres_snapshot(database) as moment:
            manifest.schema_version = moment.schema_version()
            _add_since(parts, archive, reads, progress)
            manifest.tables = moment.copy_to(archive, progress)
            manifest.sequences = moment.sequences()
    manifest.members = archive.members
    content = manifest.model_dump_json(indent=1).encode()
    archive.finish(content, parts.secrets.keyed_hash(SIGNING, content.decode()))
    return manifest


def _add_since(parts: Parts, archive: ArchiveWriter, reads: Path, progress: Progress) -> None:
    """Right after the database's moment: files that it names and that the first look did not find yet, and reads that
    were noted since and are not in the log."""
    copy_pending_reads(parts.settings, reads)
    new = {name: path for name, path in stored_files(parts.settings).items() if name not in archive.members}
    _add_files(archive, new | {f"{READS}/{file.name}": file for file in sorted(reads.iterdir())}, progress)


def _add_files(archive: ArchiveWriter, files: dict[str, Path], progress: Progress) -> None:
    for number, (name, path) in enumerate(files.items(), 1):
        archive.add_file(name, path)
        progress("Copying files", number, len(files))


def _add_sqlite(archive: ArchiveWriter, snapshot: SqliteSnapshot, copy: Path, progress: Progress) -> None:
    snapshot.copy_to(copy, progress)
    progress("Packing the database", 0, 1)
    archive.add_file(DATABASE, copy)
    progress("Packing the database", 1, 1)
    copy.unlink()


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
