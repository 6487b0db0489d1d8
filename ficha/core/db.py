"""One `Database` class for SQLite and PostgreSQL. What differs between the two is here and in `engines.py`."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import local
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Engine, Index, Integer, MetaData, Row, text
from sqlalchemy.engine import Dialect, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

from ficha.core.answer_deadlines import LONG_SHARE, URGENT_SHARE, LostServer
from ficha.core.clock import Clock, SystemClock
from ficha.core.engines import LOCK_WAIT_SECONDS, postgres_engine, sqlite_engine
from ficha.core.errors import FichaError
from ficha.core.postgres_address import driver_url
from ficha.core.prepared import insert_or_ignore
from ficha.core.transaction import OnStatement, Transaction
from ficha.core.writer_turns import WritersTimeout, WriterTurns

CHECKPOINT_WAIT_MS = 50
OTHERS_WRITE_TIMES = 8

# Connections that only threads take which called `use_reserved_connections`: those of urgent requests
# (asgi/threads.py), one for the webhook's intake, and one to spare for a moment.
RESERVED_CONNECTIONS = 6


class Base(DeclarativeBase):
    """The base class of every table. Constraints have fixed names, so that migrations can change them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Utc(TypeDecorator[datetime]):
    """An aware time in UTC. SQLite does not store the zone, so it is added again here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[datetime | None], Any] | None:
        """On SQLite, as SQLAlchemy writes it, in a quarter of the time: most statements of a change carry one. The zone
        is cut off at the end: to replace it takes as long as to write."""
        if dialect.name != "sqlite":
            return super().bind_processor(dialect)
        length = len("2026-11-16 12:00:00.000000")

        def written(value: datetime | None) -> str | None:
            if value is not None and value.tzinfo is not UTC:
                value = self.process_bind_param(value, dialect)
            return None if value is None else value.isoformat(" ", "microseconds")[:length]

        return written

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored")
        return value if value.tzinfo is UTC else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


# SQLite only counts rows up by itself in a column whose type is exactly INTEGER.
BigId = BigInteger().with_variant(Integer(), "sqlite")


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of those rows only for which the condition holds. The migrations make it, on both databases; here it is
    not told to PostgreSQL's dialect, which a server on SQLite would load for that alone."""
    return Index(name, *columns, unique=unique, sqlite_where=text(where))


class Json(TypeDecorator[Any]):
    """JSON, on PostgreSQL as JSONB. A dialect is imported only where it is used, which saves start-up time."""

    impl = JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name != "postgresql":
            return super().load_dialect_impl(dialect)
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415

        return dialect.type_descriptor(JSONB())


class seconds_from_now(FunctionElement[datetime]):  # noqa: N801  It is called like a function of SQL.
    """By the database's own time. Leases and heartbeats alone go by it: several machines share them, and when a test
    moves the service's clock, a busy process must not look dead."""

    type = Utc()
    inherit_cache = True


@compiles(seconds_from_now, "sqlite")
def _on_sqlite(element: Any, compiler: Any, **more: Any) -> str:
    return f"strftime('%Y-%m-%d %H:%M:%f', 'now', {compiler.process(element.clauses, **more)} || ' seconds')"


@compiles(seconds_from_now, "postgresql")
def _on_postgresql(element: Any, compiler: Any, **more: Any) -> str:
    return f"clock_timestamp() + make_interval(secs => {compiler.process(element.clauses, **more)})"


_this_thread = local()


def use_reserved_connections() -> None:
    """From now on this thread uses connections that ordinary threads cannot take, however many they are, and gives up a
    server that does not answer before they do."""
    _this_thread.is_urgent = True
    _this_thread.answer_share = URGENT_SHARE


@contextmanager
def expecting_long_statements() -> Iterator[None]:
    """Within it this thread gives up a server later: for what deletes or reads very many rows at once."""
    before = getattr(_this_thread, "answer_share", 1)
    _this_thread.answer_share = LONG_SHARE
    try:
        yield
    finally:
        _this_thread.answer_share = before


class Connections:
    """A pool of connections, for those who write and for those who read."""

    def __init__(self, engine: Engine) -> None:
        self.writer = engine.execution_options(ficha_writes=True)
        # Each statement of a reader sees what is committed when it begins, with or without a transaction around it; on
        # PostgreSQL a transaction would take two more trips to the server.
        is_sqlite = engine.dialect.name == "sqlite"
        self.reader = engine if is_sqlite else engine.execution_options(isolation_level="AUTOCOMMIT")


class Database:
    """Gives out transactions. `reading` never waits for writers; `writing` takes the write lock when it begins."""

    def __init__(self, url: str, *, clock: Clock | None = None, pool_size: int = 10) -> None:
        self.url = driver_url(url)
        self.clock = clock or SystemClock()
        # What every transaction of this database carries.
        self.info: dict[str, Any] = {}
        # For tests that look at each statement, or end the process before it.
        self.on_statement: OnStatement | None = None
        # After how many seconds without an answer a connection of PostgreSQL is given up; None where a statement may
        # take as long as it takes, as in most commands.
        self.answer_seconds: float | None = None
        self.is_sqlite = self.url.startswith("sqlite")
        # PostgreSQL locks rows.
        self._writers: WriterTurns | None = None
        if self.is_sqlite:
            self._writers = WriterTurns(make_url(self.url).database or "ficha.db", LOCK_WAIT_SECONDS)
            # One for each thread that may need one.
            engines = [sqlite_engine(self.url, size) for size in (pool_size + 40, RESERVED_CONNECTIONS)]
        else:
            server = LostServer()
            engines = [postgres_engine(self.url, size, server) for size in (2 * pool_size, RESERVED_CONNECTIONS)]
        self._ordinary, self._reserved = map(Connections, engines)
        self.engine, self.reserved_engine = engines

    def transaction(self, *, writes: bool = True) -> Transaction:
        """Not begun: its first statement does that, the caller commits."""
        connections = self._reserved if getattr(_this_thread, "is_urgent", False) else self._ordinary
        return Transaction(
            connections.writer if writes else connections.reader,
            self.clock,
            writes=writes,
            writers=self._writers if writes else None,
            info=self.info,
            on_statement=self.on_statement,
            answer_seconds=self._answer_seconds(),
        )

    def _answer_seconds(self) -> float | None:
        """Of this thread."""
        if self.answer_seconds is None:
            return None
        share: float = getattr(_this_thread, "answer_share", 1)
        return self.answer_seconds * share

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """One transaction: commits at the end, rolls back when anything is raised."""
        with self.transaction() as tx:
            yield tx
            tx.commit()

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self.transaction(writes=False) as tx:
            yield tx

    def is_writer_free(self, seconds: float = 0) -> bool:
        """False while a transaction of this process has SQLite's one write lock, and keeps it for so long."""
        return self._writers is None or self._writers.is_free_within(seconds)

    @contextmanager
    def letting_others_write(self) -> Iterator[None]:
        """Around each transaction of a long work: others who wait, as an alert may, then write first, for up to
        OTHERS_WRITE_TIMES as long as it took."""
        begun = time.monotonic()
        yield
        if self._writers is not None:
            self._writers.let_others_write(OTHERS_WRITE_TIMES * (time.monotonic() - begun))

    def truncate_wal(self) -> bool:
        """For SQLite: moves everything from the write-ahead log to the file, and empties it. False if somebody still
        reads an older state; writers wait for that no longer than CHECKPOINT_WAIT_MS."""
        connection = self.engine.raw_connection()
        try:
            cursor = connection.cursor()
            cursor.execute(f"PRAGMA busy_timeout={CHECKPOINT_WAIT_MS}")
            is_busy: int = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout={LOCK_WAIT_SECONDS * 1000}")
        finally:
            connection.close()
        return not is_busy

    def ping(self) -> None:
        with self.reading() as tx:
            tx.connection().execute(text("SELECT 1"))

    def close(self) -> None:
        self.engine.dispose()
        self.reserved_engine.dispose()
        if self._writers is not None:
            self._writers.close()


def insert_new(tx: Transaction, table: type[Base], rows: Sequence[Mapping[str, Any]], *returned: Any) -> list[Row[Any]]:
    """Inserts the rows that do not exist yet and returns the columns `returned` of these.

    If several transactions insert the same row, it is new for one of them only.
    """
    # With the table and without the ORM, which takes several times as long.
    statement = insert_or_ignore(table.__table__, tx.dialect.name).returning(*returned)
    return list(tx.orm.execute(statement, list(rows))) if rows else []


class Unavailable(FichaError):
    status = 503
    code = "no_disponible"
    message = "La base de datos no responde en este momento. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "2"}  # noqa: RUF012


def is_unavailable(error: Exception) -> bool:
    """Whether the same may succeed later: the database cannot be reached, others hold it for too long, or this node of
    it takes no changes. Whatever else it says is a bug of ours, as is SQLite's plain error, which it gives for a
    statement that is wrong."""
    if isinstance(error, OperationalError):
        return getattr(error.orig, "sqlite_errorname", "") != "SQLITE_ERROR"
    return isinstance(error, WritersTimeout | NoConnectionFree)
