"""PostgreSQL for the lane: a few asyncpg connections, each with its prepared statements.

asyncpg's own pool asks the server to reset every connection it gets back, a second round trip; ours only ever reads.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg

from ficha.core.db import Unavailable
from ficha.core.engines import application_name
from ficha.core.postgres_address import asyncpg_urls, connect_asyncpg
from ficha.core.prepared import Compiled, Prepared, Values
from ficha.fastlane.store import Row

CONNECT_SECONDS = 3.0

# Planning these joins takes the server longer than running them, and the plan is the same for every value.
# As an option, which is the one word of a start that a pooler must be told to let pass.
SERVER_SETTINGS = {"options": "-c plan_cache_mode=force_generic_plan"}

# One for all: statements are compiled once for each.
DIALECT: Dialect = PGDialect_asyncpg()  # type: ignore[no-untyped-call]


class NoAnswer(Exception):
    """The server of this connection is frozen or cut off: another one may be there by now."""


# A migration changed a table, the server went away or takes no changes any more, or what it sent made no sense: a new
# connection helps.
STALE = (
    asyncpg.InvalidCachedStatementError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    NoAnswer,
)


class PreparedConnection:
    """A connection and the statements that were prepared on it."""

    def __init__(self, connection: Any, seconds: float) -> None:
        self.connection = connection
        self._seconds = seconds
        self._prepared: dict[str, Any] = {}

    async def rows(self, compiled: Compiled, values: Values) -> Sequence[Row]:
        """Raises NoAnswer."""
        prepared = self._prepared.get(compiled.sql)
        try:
            if prepared is None:
                prepared = await self.connection.prepare(compiled.sql, timeout=self._seconds)
                self._prepared[compiled.sql] = prepared
            rows: Sequence[Row] = await prepared.fetch(*compiled.parameters(values), timeout=self._seconds)
        except TimeoutError as error:
            raise NoAnswer from error
        return rows


# What somebody waits for: a connection, or None for the right to open one.
Waiter = asyncio.Future[PreparedConnection | None]


class PostgresStore:
    """`seconds`: a read by key that takes longer will not come; neither will a connection when all are in use this
    long."""

    def __init__(self, url: str, size: int, seconds: float) -> None:
        self._urls = asyncpg_urls(url)
        self._server_settings = SERVER_SETTINGS | {"application_name": application_name(url, "lane")}
        self._size, self._seconds = size, seconds
        self._keeps = False
        self._opened = 0
        self._idle: list[PreparedConnection] = []
        self._waiters: deque[Waiter] = deque()

    async def open(self) -> None:
        self._keeps = True

    async def close(self) -> None:
        self._keeps = False
        while self._idle:
            self._opened -= 1
            await self._idle.pop().connection.close(timeout=1)

    async def rows(self, statement: Prepared, values: Values) -> Sequence[Row]:
        try:
            try:
                return await self._rows(statement, values)
            except STALE:
                self._drop_idle()
                return await self._rows(statement, values)
        except (asyncpg.PostgresError, *STALE, OSError, TimeoutError) as error:
            raise Unavailable from error

    def utc(self, moment: datetime) -> datetime:
        return moment

    def wire(self, moment: datetime) -> str:
        return moment.astimezone(UTC).isoformat()

    async def _rows(self, statement: Prepared, values: Values) -> Sequence[Row]:
        prepared = await self._take()
        try:
            rows = await prepared.rows(statement.compiled_for(DIALECT), values)
        except BaseException:  # It may be in the middle of something, and is not asked again.
            prepared.connection.terminate()
            self._give_back(None)
            raise
        if self._keeps:
            self._give_back(prepared)
        else:
            await prepared.connection.close()
            self._give_back(None)
        return rows

    async def _take(self) -> PreparedConnection:
        """An idle connection, a new one, or the next that is given back; raises TimeoutError if none is."""
        while self._idle:
            prepared = self._idle.pop()
            if not prepared.connection.is_closed():
                return prepared
            self._opened -= 1
        if self._opened >= self._size:
            waiter: Waiter = asyncio.get_running_loop().create_future()
            self._waiters.append(waiter)
            try:
                given = await asyncio.wait_for(waiter, self._seconds)
            except BaseException:
                if waiter.done() and not waiter.cancelled():  # It came in the same instant.
                    self._give_back(waiter.result())
                raise
            if given is not None:
                return given
        else:
            self._opened += 1
        try:
            connection = await connect_asyncpg(self._urls, CONNECT_SECONDS, server_settings=self._server_settings)
        except BaseException:
            self._give_back(None)
            raise
        return PreparedConnection(connection, self._seconds)

    def _give_back(self, prepared: PreparedConnection | None) -> None:
        """To whoever has waited longest, else to the idle ones. None is the right to open another in its place."""
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                waiter.set_result(prepared)
                return
        if prepared is None:
            self._opened -= 1
        else:
            self._idle.append(prepared)

    def _drop_idle(self) -> None:
        """What is wrong with one of them is wrong with all that were opened before."""
        while self._idle:
            self._opened -= 1
            self._idle.pop().connection.terminate()
