"""Puts a backup back: into a place apart first, checked there, and then in the service's place at one moment."""

import hmac
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

from ficha.audit.log import use_log_key
from ficha.audit.verify_entries import count_entries
from ficha.audit.verify_log import LogFault, verify_log
from ficha.backup.archive import ArchiveReader, Manifest
from ficha.backup.files import (
    ANCHORS,
    BEFORE,
    FILES,
    KEYS,
    READS,
    BackupRefused,
    BadArchive,
    Progress,
    database_file,
    path_of,
    read_log_folder,
    working_folder,
)
from ficha.backup.making import DATABASE, SIGNING
from ficha.backup.postgres import RestoreTarget
from ficha.backup.sqlite_copy import check_pages, empty_log, has_rows, put_in_place
from ficha.core.clock import SystemClock
from ficha.core.crypto import Keyring, MasterKeyMissing, Tampered, keyring_of
from ficha.core.db import Database
from ficha.core.key_sources import KeyFile, key_source_of
from ficha.core.process import ignoring_ctrl_c
from ficha.core.schema_version import schema_versions
from ficha.core.secrets import KeyDestroyed, Secrets
from ficha.core.settings import Settings
from ficha.migrations import migrate
from ficha.parts import read_log_of

HAS_DATA = "The database here has data. Restore elsewhere, or say --replace: the service must be stopped."


@dataclass(frozen=True)
class Restored:
    manifest: Manifest
    faults: list[LogFault]
    entries: int
    pending_reads: int
    # Where the database is kept that was replaced; only for SQLite.
    old_database: Path | None = None
    is_in_place: bool = False


class LogBroken(BackupRefused):
    """The log in the backup is not whole. Carries what is wrong with it."""

    def __init__(self, faults: list[LogFault]) -> None:
        super().__init__("The log in this backup is not whole. With --accept-faults it is restored all the same.")
        self.faults = faults


@dataclass(frozen=True)
class RestoreChoices:
    # Over a database that has data.
    replace: bool = False
    # Into a place apart and no further.
    only_try: bool = False
    accept_faults: bool = False


def restore(settings: Settings, file: Path, progress: Progress, choices: RestoreChoices) -> Restored:
    """Every hash is checked, and the log with the function behind `ficha audit verify`; until then nothing here is
    touched, and if it is interrupted or killed, the service is as it was or as the backup says. Raises
    BackupRefused."""
    archive = ArchiveReader(file)
    try:
        _refuse_unfit(settings, archive.manifest)
        with working_folder(settings.data_dir) as folder:
            keyring = _keyring(settings, archive, folder)
            return _Restore(settings, archive, keyring, folder, progress, choices).run()
    except (KeyDestroyed, MasterKeyMissing, Tampered):
        raise BackupRefused(
            f"The keys here do not open this backup. Put the key file of that time at {settings.key_path}."
        ) from None
    finally:
        archive.close()


def _refuse_unfit(settings: Settings, manifest: Manifest) -> None:
    here = "sqlite" if settings.database.startswith("sqlite") else "postgresql"
    if manifest.engine != here:
        raise BackupRefused(f"The backup is of {manifest.engine}, and the database here is {here}.")
    if manifest.schema_version not in schema_versions():
        raise BackupRefused(
            f"The backup, made by Ficha {manifest.version}, is of a database that a newer Ficha had migrated."
            " Install the newer one first."
        )


def _keyring(settings: Settings, archive: ArchiveReader, folder: Path) -> Keyring:
    """A key file that is here is never replaced by one in the archive."""
    if settings.key_path.exists() or not isinstance(key_source_of(settings), KeyFile):
        return keyring_of(settings)
    if KEYS not in archive.manifest.members:
        raise BackupRefused(f"There are no keys here and none in the backup. Put the key file at {settings.key_path}.")
    archive.extract(KEYS, folder / KEYS)
    return Keyring.from_file(folder / KEYS)


@dataclass
class _Restore:
    settings: Settings
    archive: ArchiveReader
    keyring: Keyring
    folder: Path
    progress: Progress
    choices: RestoreChoices
    stamp: str = field(default_factory=lambda: f"{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")

    def run(self) -> Restored:
        for name in (*self.archive.names(FILES), *self.archive.names(ANCHORS), *self.archive.names(READS)):
            self.archive.extract(name, self.folder / name)
        is_sqlite = self.archive.manifest.engine == "sqlite"
        return self._into_sqlite() if is_sqlite else self._into_postgres()

    def _put_reads_aside(self) -> None:
        """They belong to the database that was replaced."""
        if read_log_folder(self.settings).exists():
            read_log_folder(self.settings).rename(self.settings.data_dir / f"{BEFORE}{self.stamp}-reads")

    def _into_sqlite(self) -> Restored:
        file = database_file(self.settings)
        if not (self.choices.only_try or self.choices.replace) and has_rows(file):
            raise BackupRefused(HAS_DATA)
        with working_folder(file.parent) as beside:
            new = beside / file.name
            self.progress("Unpacking the database", 0, 1)
            self.archive.extract(DATABASE, new)
            check_pages(new)
            self.progress("Unpacking the database", 1, 1)
            database = Database(f"sqlite:///{new}")
            try:
                found = self._check(database)
            finally:
                database.close()
            if self.choices.only_try:
                return found(is_in_place=False)
            empty_log(new)
            self._put_files()
            with ignoring_ctrl_c():
                old = put_in_place(new, file, self.stamp)
                self._put_reads_aside()
            return found(is_in_place=True, old_database=old)

    def _into_postgres(self) -> Restored:
        database = Database(self.settings.database)
        target = RestoreTarget(database, self.archive, self.progress, is_apart=self.choices.only_try)
        try:
            with ExitStack() as at_end:
                with target.filled(may_replace=self.choices.replace, refusal=HAS_DATA) as inside:
                    found = self._check(inside)
                    if self.choices.only_try:
                        return found(is_in_place=False)
                    self._put_files()
                    at_end.enter_context(ignoring_ctrl_c())
                self._put_reads_aside()
        finally:
            database.close()
        return found(is_in_place=True)

    def _check(self, database: Database) -> Callable[..., Restored]:
        """In the place apart: the newest schema, the manifest's signature, reads that still waited, and the log."""
        archive = self.archive
        migrate(database)
        secrets = Secrets(database, self.keyring, SystemClock())
        if not hmac.compare_digest(secrets.keyed_hash(SIGNING, archive.manifest_bytes.decode()), archive.signature):
            raise BadArchive("The backup's manifest was not signed by this service: somebody altered it.")
        use_log_key(database, cache(partial(secrets.derive, "log")))
        reads = read_log_of(self.settings, database, self.folder / READS)
        written = reads.drain()
        if any((self.folder / READS).glob("*.reads")):
            raise BadArchive("The reads that waited in the backup cannot be written to its log.")
        with database.reading() as tx:
            entries = count_entries(tx)
        done = 0

        def show(count: int) -> None:
            nonlocal done
            done += count
            self.progress("Verifying the log", done, entries)

        # By the time of the backup: that nothing was signed since is no fault of it.
        faults = verify_log(database, secrets, archive.manifest.made_at, [self.folder / ANCHORS], show)
        if faults and not self.choices.accept_faults:
            raise LogBroken(faults)
        return partial(Restored, archive.manifest, faults, entries, written)

    def _put_files(self) -> None:
        """Files are only added, so the service as it was goes on if this is the last that happens. One of the same
        name and another content is kept aside; copies of anchors and keys are never replaced."""
        if (self.folder / KEYS).exists() and not self.settings.key_path.exists():
            _move(self.folder / KEYS, self.settings.key_path)
        for name in self.archive.names(ANCHORS):
            if not path_of(self.settings, name).exists():
                _move(self.folder / name, path_of(self.settings, name))
        names = self.archive.names(FILES)
        for number, name in enumerate(names, 1):
            self.progress("Putting files back", number, len(names))
            new, path = self.folder / name, path_of(self.settings, name)
            if path.exists() and path.read_bytes() != new.read_bytes():
                _move(path, self.settings.data_dir / f"{BEFORE}{self.stamp}" / name)
            _move(new, path)


def _move(file: Path, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.replace(path)
