"""Which files belong to a backup, where each is put back, and the folder for what is not finished; why a backup or a
restore is refused."""

import fcntl
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import OperationalError

from ficha.core.disks import NO_ROOM, is_full
from ficha.core.settings import Settings

# What is under way, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


class BackupRefused(Exception):
    """Nothing was changed. Its text says what to do."""


class BadArchive(BackupRefused):
    """The archive is not one of ours, or not as we wrote it."""


FILES, ANCHORS, READS, KEYS = "files", "anchors", "reads", "keys/keys.json"
BEFORE = "before-restore-"
# Counts of the processes that run now; mails and messages of the sandbox, in clear, which were sent to nobody; and
# rosters in clear, for as long as they are read.
LEFT_OUT = ("metrics", "sandbox", "nominas")


def stored_files(settings: Settings) -> dict[str, Path]:
    """Everything in the data folder but the database, the keys, what has a member of its own, and what is unfinished:
    by the house's habit, that has a name which begins with a dot."""
    found = _below(settings.data_dir, FILES)
    return {name: path for name, path in found if not _is_left_out(settings, path)}


def anchor_files(settings: Settings) -> dict[str, Path]:
    return dict(_below(settings.anchor_path, ANCHORS))


def read_log_folder(settings: Settings) -> Path:
    return settings.data_dir / READS


def copy_pending_reads(settings: Settings, folder: Path) -> None:
    """What the service has noted and not yet written to the log. Files only grow: of two copies, the later has all."""
    folder.mkdir(exist_ok=True)
    for file in read_log_folder(settings).glob("*.reads"):
        try:
            shutil.copyfile(file, folder / file.name)
        except FileNotFoundError:  # In the log by now.
            continue


def path_of(settings: Settings, name: str) -> Path:
    """Where a member of `files/` or `anchors/` belongs."""
    folder, _, rest = name.partition("/")
    return (settings.anchor_path if folder == ANCHORS else settings.data_dir) / rest


def database_file(settings: Settings) -> Path:
    """Of SQLite."""
    return Path(settings.database.removeprefix("sqlite:///"))


def _below(folder: Path, name: str) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if path.is_file() and not path.is_symlink() and not any(part.startswith(".") for part in inner.parts):
            yield f"{name}/{inner.as_posix()}", path


def _is_left_out(settings: Settings, path: Path) -> bool:
    first = path.relative_to(settings.data_dir).parts[0]
    if first in (*LEFT_OUT, READS) or BEFORE in first or path == settings.key_path:
        return True
    if path.is_relative_to(settings.anchor_path):
        return True
    file = database_file(settings)
    return settings.database.startswith("sqlite") and path.parent == file.parent and path.name.startswith(file.name)


PREFIX = ".ficha-unfinished-"
NO_ROOM_AT = "The disk of {folder} is full. Nothing was changed: make room, then run it again."


@contextmanager
def working_folder(parent: Path) -> Iterator[Path]:
    """Raises BackupRefused if its disk fills up within the block."""
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for old in parent.glob(f"{PREFIX}*"):
        _remove_abandoned(old)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield folder
    except (OSError, sqlite3.OperationalError, OperationalError) as error:
        if not _is_of_full_disk(error, folder):
            raise
        raise BackupRefused(NO_ROOM_AT.format(folder=parent)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(handle)


def _is_of_full_disk(error: OSError | sqlite3.OperationalError | OperationalError, folder: Path) -> bool:
    """What works in that folder, a database too, writes nowhere else."""
    if isinstance(error, OSError):
        return error.errno in NO_ROOM
    driver = error.orig if isinstance(error, OperationalError) else error
    return getattr(driver, "sqlite_errorname", "") == "SQLITE_FULL" or is_full(folder)


def _remove_abandoned(folder: Path) -> None:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Gone meanwhile, or somebody else's.
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:  # Its process is at work.
        return
    else:
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)
