"""Where the lane reads: the database's own driver, on the event loop."""

import sqlite3
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import make_url

from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.fastlane.statements import Statement, Values

# A reader waits for nobody in WAL mode; this is for the instant in which the file is being recovered.
WAIT_SECONDS = 1.0
LOOK_SECONDS = 1.0

Row = Sequence[Any]


class Unavailable(FichaError):
    status = 503
    code = "no_disponible"
    message = "No se pudo leer o registrar la consulta. Vuelva a probar en un momento."
    headers = {"Retry-After": "2"}  # noqa: RUF012


class Store(Protocol):
    """Keeps connections between `open` and `close`. Outside of that, as in a test that starts no server, each read
    brings its own: a connection belongs to the event loop in which it was made."""

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def rows(self, statement: Statement, values: Values) -> Sequence[Row]: ...

    def moment(self, moment: datetime) -> Any:
        """A time as the driver takes it."""

    def wire(self, moment: Any) -> str:
        """A time as the driver gives it, in the words of the wire."""


def store_of(database: Database, pool_size: int) -> Store:
    if database.is_sqlite:
        return SqliteStore(make_url(database.url).database or "")
    from ficha.fastlane.postgres_store import PostgresStore  # noqa: PLC0415 - its driver stays out of SQLite's memory.

    return PostgresStore(database.url, pool_size)


class SqliteStore:
    """One connection that cannot write. A lookup by key takes microseconds, less than handing it to a thread."""

    def __init__(self, file: str) -> None:
        self._file = Path(file).absolute()
        self._connection: sqlite3.Connection | None = None
        self._inode = 0
        self._look_at = 0.0
        self._keeps = False

    async def open(self) -> None:
        self._keeps = True

    async def close(self) -> None:
        self._keeps = False
        self._drop()

    async def rows(self, statement: Statement, values: Values) -> Sequence[Row]:
        try:
            connection = self._connection
            if connection is None or time.monotonic() > self._look_at:
                connection = self._current()
            # All rows are fetched, so that no read lock outlives the call.
            return connection.execute(statement.sql, statement.ordered(values)).fetchall()
        except (sqlite3.Error, OSError) as error:
            self._drop()
            raise Unavailable from error
        finally:
            if not self._keeps:
                self._drop()

    def moment(self, moment: datetime) -> str:
        return moment.isoformat(" ", "microseconds")[:26]

    def wire(self, moment: str) -> str:
        """Stored with six decimals and no zone; written like datetime.isoformat does."""
        return f"{moment[:10]}T{moment[11:].removesuffix('.000000')}+00:00"

    def _current(self) -> sqlite3.Connection:
        """The connection, or a new one when another file took the old one's place: a backup put back."""
        inode = self._file.stat().st_ino
        if self._connection is None or inode != self._inode:
            self._drop()
            self._connection = sqlite3.connect(
                f"{self._file.as_uri()}?mode=ro", uri=True, timeout=WAIT_SECONDS, isolation_level=None
            )
            self._inode = inode
        self._look_at = time.monotonic() + LOOK_SECONDS
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
