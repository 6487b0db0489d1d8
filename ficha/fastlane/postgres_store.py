"""PostgreSQL for the lane: a few asyncpg connections, each with its prepared statements.

asyncpg's own pool asks the server to reset every connection it gets back, a second round trip; ours only ever reads.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import asyncpg  # type: ignore[import-untyped]
from sqlalchemy import make_url

from ficha.fastlane.statements import Statement, Values
from ficha.fastlane.stores import Row, Unavailable

CONNECT_SECONDS = 5.0
# A read by key that takes longer than this will not come; neither will a connection when all are held this long.
READ_SECONDS = 5.0

# Planning these joins takes the server longer than running them, and the plan is the same for every value.
SERVER_SETTINGS = {"plan_cache_mode": "force_generic_plan"}

# A migration changed a table, the server went away, or what it said made no sense: another connection does better.
STALE = (
    asyncpg.InvalidCachedStatementError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
)


class Line:
    """A connection and what was prepared on it."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._prepared: dict[str, Any] = {}

    async def rows(self, statement: Statement, values: Values) -> Sequence[Row]:
        prepared = self._prepared.get(statement.sql)
        if prepared is None:
            prepared = self._prepared[statement.sql] = await self.connection.prepare(statement.sql)
        rows: Sequence[Row] = await prepared.fetch(*statement.ordered(values), timeout=READ_SECONDS)
        return rows


class PostgresStore:
    def __init__(self, url: str, size: int) -> None:
        self._url = _asyncpg_url(url)
        self._size = size
        self._keeps = False
        self._lines = 0
        self._idle: list[Line] = []
        self._waiting: deque[asyncio.Future[Line | None]] = deque()

    async def open(self) -> None:
        self._keeps = True

    async def close(self) -> None:
        self._keeps = False
        while self._idle:
            self._lines -= 1
            await self._idle.pop().connection.close(timeout=1)

    async def rows(self, statement: Statement, values: Values) -> Sequence[Row]:
        try:
            try:
                return await self._rows(statement, values)
            except STALE:
                self._idle_no_more()
                return await self._rows(statement, values)
        except (asyncpg.PostgresError, *STALE, OSError, TimeoutError) as error:
            raise Unavailable from error

    def moment(self, moment: datetime) -> datetime:
        return moment

    def wire(self, moment: datetime) -> str:
        return moment.astimezone(UTC).isoformat()

    async def _rows(self, statement: Statement, values: Values) -> Sequence[Row]:
        line = await self._take()
        try:
            rows = await line.rows(statement, values)
        except BaseException:  # It may be in the middle of something, and is not asked again.
            line.connection.terminate()
            self._give_back(None)
            raise
        if self._keeps:
            self._give_back(line)
        else:
            await line.connection.close()
            self._give_back(None)
        return rows

    async def _take(self) -> Line:
        while self._idle:
            line = self._idle.pop()
            if not line.connection.is_closed():
                return line
            self._lines -= 1
        if self._lines >= self._size:
            turn: asyncio.Future[Line | None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                given = await asyncio.wait_for(turn, READ_SECONDS)
            except BaseException:
                if turn.done() and not turn.cancelled():  # It came in the same instant.
                    self._give_back(turn.result())
                raise
            if given is not None:
                return given
        else:
            self._lines += 1
        try:
            return Line(await asyncpg.connect(self._url, timeout=CONNECT_SECONDS, server_settings=SERVER_SETTINGS))
        except BaseException:
            self._give_back(None)
            raise

    def _give_back(self, line: Line | None) -> None:
        """To whoever waits longest, else aside. None is the right to open another in its place."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(line)
                return
        if line is None:
            self._lines -= 1
        else:
            self._idle.append(line)

    def _idle_no_more(self) -> None:
        """What is wrong with one of them is wrong with all that were opened before."""
        while self._idle:
            self._lines -= 1
            self._idle.pop().connection.terminate()


def _asyncpg_url(url: str) -> str:
    """As asyncpg reads it: it takes a word that it does not know for a setting of the server."""
    plain = make_url(url).set(drivername="postgresql").difference_update_query(["connect_timeout"])
    return plain.render_as_string(hide_password=False)
