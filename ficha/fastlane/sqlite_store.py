"""SQLite for the lane: one connection that cannot write, used on the event loop itself."""

import sqlite3
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from sqlalchemy.dialects.sqlite import dialect as SQLiteDialect  # noqa: N812

from ficha.core.db import Unavailable
from ficha.core.prepared import Prepared, Values
from ficha.fastlane.store import Row

# A reader waits for nobody in WAL mode; this is for the instant in which the file is being recovered.
LOCK_SECONDS = 1.0
CHECK_SECONDS = 1.0
# One for all: statements are compiled once for each.
DIALECT = SQLiteDialect()


class SqliteStore:
    """A lookup by key takes microseconds, less than handing it to a thread. Every `check_seconds` it looks whether
    another file took the place of the one that is open."""

    def __init__(self, file: str, *, check_seconds: float = CHECK_SECONDS) -> None:
        self._file = Path(file).absolute()
        self._check_seconds = check_seconds
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._check_at = 0.0
        self._keeps = False

    async def open(self) -> None:
        self._keeps = True

    async def close(self) -> None:
        self._keeps = False
        self._drop()

    async def rows(self, statement: Prepared, values: Values) -> Sequence[Row]:
        try:
            connection = self._connection
            if connection is None or time.monotonic() >= self._check_at:
                connection = self._current()
            # All rows are fetched, so that no read lock outlives the call.
            compiled = statement.compiled_for(DIALECT)
            return connection.execute(compiled.sql, compiled.parameters(values)).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._drop()
            raise Unavailable from error
        finally:
            if not self._keeps:
                self._drop()

    def utc(self, moment: str) -> datetime:
        return datetime.fromisoformat(f"{moment}+00:00")  # Replacing the zone afterwards takes ten times as long.

    def wire(self, moment: str) -> str:
        """Stored with six decimals and no zone; written like datetime.isoformat does."""
        return f"{moment[:10]}T{moment[11:].removesuffix('.000000')}+00:00"

    def _current(self) -> sqlite3.Connection:
        """The connection, or a new one when another file took the old one's place: a backup put back."""
        inode = self._file.stat().st_ino
        if self._connection is None or inode != self._inode:
            self._drop()
            self._connection = sqlite3.connect(
                f"{self._file.as_uri()}?mode=ro", uri=True, timeout=LOCK_SECONDS, isolation_level=None
            )
            self._inode = inode
        self._check_at = time.monotonic() + self._check_seconds
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
