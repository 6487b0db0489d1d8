"""The floor's database: the driver itself, with as many connections and the same durability as the service."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from psycopg import AsyncConnection

Row = tuple[Any, ...]
POOL_SIZE = 10  # As FICHA_DATABASE_POOL.


class Db(Protocol):
    async def rows(self, sql: str, *values: Any) -> list[Row]: ...
    def moment(self, moment: datetime) -> Any: ...
    def json(self, value: Any) -> Any: ...


class Store(Protocol):
    async def open(self) -> None: ...
    def reading(self) -> AbstractAsyncContextManager[Db]: ...
    def writing(self) -> AbstractAsyncContextManager[Db]: ...

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        """One read, on the fastest driver."""

    def moment(self, moment: datetime) -> Any: ...


def store_at(url: str) -> Store:
    return SqliteStore(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else PostgresStore(url)


class SqliteStore:
    """One connection on the event loop. Its calls never yield, so a transaction is never interleaved."""

    def __init__(self, file: str) -> None:
        self._file = file

    async def open(self) -> None:
        self._connection = sqlite3.connect(self._file, timeout=10, isolation_level=None)
        pragmas = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", "temp_store=MEMORY")
        for pragma in pragmas:  # As ficha/core/db.py.
            self._connection.execute(f"PRAGMA {pragma}")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Db]:
        yield self

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Db]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    async def rows(self, sql: str, *values: Any) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        return self._connection.execute(sql, values).fetchall()

    def moment(self, moment: datetime) -> str:
        return moment.isoformat(" ", "microseconds")[:26]

    def json(self, value: str) -> Any:
        return json.loads(value)


class PostgresStore:
    def __init__(self, url: str) -> None:
        self._url = url.replace("+psycopg", "", 1)
        self._idle: asyncio.LifoQueue[PostgresDb] = asyncio.LifoQueue()
        self._asyncpg: asyncio.LifoQueue[AsyncpgConnection] = asyncio.LifoQueue()

    async def open(self) -> None:
        from psycopg import AsyncConnection

        for _ in range(POOL_SIZE):
            connection = await AsyncConnection.connect(self._url, autocommit=True)
            connection.prepare_threshold = 0  # Every statement is prepared once.
            self._idle.put_nowait(PostgresDb(connection))
            self._asyncpg.put_nowait(AsyncpgConnection(await _asyncpg_connection(self._url)))

    async def fetch(self, sql: str, *values: Any) -> Sequence[Row]:
        connection = await self._asyncpg.get()
        try:
            return await connection.rows(sql, values)
        finally:
            self._asyncpg.put_nowait(connection)

    def moment(self, moment: datetime) -> datetime:
        return moment

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Db]:
        db = await self._idle.get()
        try:
            yield db
        finally:
            self._idle.put_nowait(db)

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Db]:
        db = await self._idle.get()
        try:
            async with db.connection.transaction():
                yield db
        finally:
            self._idle.put_nowait(db)


class PostgresDb:
    def __init__(self, connection: "AsyncConnection[Row]") -> None:
        self.connection = connection

    async def rows(self, sql: str, *values: Any) -> list[Row]:
        cursor = await self.connection.execute(sql.replace("?", "%s").encode(), values)
        return await cursor.fetchall()

    def moment(self, moment: datetime) -> datetime:
        return moment

    def json(self, value: Any) -> Any:
        return value


class AsyncpgConnection:
    """An asyncpg connection and its prepared statements."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._prepared: dict[str, Any] = {}

    async def rows(self, sql: str, values: Row) -> Sequence[Row]:
        prepared = self._prepared.get(sql)
        if prepared is None:
            pieces = sql.split("?")
            numbered = "".join(f"{piece}${number}" for number, piece in enumerate(pieces[:-1], start=1)) + pieces[-1]
            prepared = self._prepared[sql] = await self._connection.prepare(numbered)
        rows: Sequence[Row] = await prepared.fetch(*values)
        return rows


async def _asyncpg_connection(url: str) -> Any:
    """As ficha/fastlane/postgres_store.py."""
    import asyncpg  # type: ignore[import-untyped]

    return await asyncpg.connect(url, server_settings={"plan_cache_mode": "force_generic_plan"})
