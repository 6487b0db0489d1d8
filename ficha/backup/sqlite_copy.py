"""SQLite: a copy of one moment, page by page, while others write; and putting a file in the place of another."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ficha.backup.files import BackupRefused, BadArchive, Progress
from ficha.core.schema_version import VERSION

PAGES = 500
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('alembic_version', 'sqlite_sequence')"


class SqliteSnapshot:
    """A reader's transaction: what is written after it began is not seen, and no writer waits for it (WAL)."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def schema_version(self) -> str:
        return str(self._connection.execute(VERSION).fetchone()[0])

    def copy_to(self, file: Path, progress: Progress) -> None:
        """The transaction stays open for all steps; without it, SQLite would begin anew after each write."""

        def show(_status: int, remaining: int, total: int) -> None:
            progress("Copying the database", total - remaining, total)

        file.touch(mode=0o600)
        with closing(sqlite3.connect(file, isolation_level=None)) as copy:
            copy.execute("PRAGMA synchronous=OFF")
            self._connection.backup(copy, pages=PAGES, progress=show)
            copy.execute("PRAGMA journal_mode=DELETE")  # One file, with nothing beside it.


@contextmanager
def sqlite_snapshot(file: Path) -> Iterator[SqliteSnapshot]:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # The moment is now.
        yield SqliteSnapshot(connection)


def check_pages(file: Path) -> None:
    """Raises BadArchive if SQLite finds the file damaged."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            found = connection.execute("PRAGMA quick_check").fetchone()[0]
    except sqlite3.DatabaseError:
        found = "not a database"
    if found != "ok":
        raise BadArchive(f"The database in the backup is damaged: {found}")


def put_in_place(new: Path, file: Path, stamp: str) -> Path | None:
    """From one moment to the next the new file has the name. Returns where the old one is kept, if there was one.
    Raises BackupRefused if somebody has that open."""
    old = file.with_name(f"{file.name}.before-restore-{stamp}") if file.exists() else None
    if old is not None:
        empty_log(file)
        os.link(file, old)
    new.replace(file)
    return old


def empty_log(file: Path) -> None:
    """What is beside a file in WAL mode would be taken for the new one's."""
    try:
        with closing(sqlite3.connect(file, timeout=1, isolation_level=None)) as connection:
            mode = connection.execute("PRAGMA journal_mode=DELETE").fetchone()[0]
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith("SQLITE_BUSY"):
            raise
        mode = "locked"
    if mode != "delete":
        raise BackupRefused("The service still has the database open. Stop it first.")


def has_rows(file: Path) -> bool:
    """Whether any table has something in it; which migration it has reached is nothing."""
    if not file.exists():
        return False
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute(TABLES)]
        return any(connection.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone() for name in names)  # noqa: S608
