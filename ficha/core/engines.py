"""How each of the two databases is opened, and how a transaction begins there."""

import os
from pathlib import Path
from select import POLLIN, poll
from typing import Any

from pydantic_core import from_json, to_json
from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import Connection, ExceptionContext
from sqlalchemy.exc import InvalidatePoolError, OperationalError

from ficha.core.answer_deadlines import ConnectionWatch, LostServer, watchdog

# As whom PostgreSQL shows a connection that neither its address nor PGAPPNAME names: the `ficha` command sets that.
APPLICATION_NAME = "ficha"
# A request that waits longer than this for a lock fails, and so does one that finds no connection free.
LOCK_WAIT_SECONDS = 10
CONNECT_SECONDS = 3
# Where a connection's watch is, among what SQLAlchemy keeps with it.
WATCH = "watch"
# Of a machine that is gone the kernel notices within half a minute, and within this while something is sent to it.
# What the address says goes first.
TCP_OPTIONS: dict[str, Any] = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
READ_ONLY = "25006"


def is_read_only(error: BaseException | None) -> bool:
    """Whether PostgreSQL refused a change because this node takes none: another one may."""
    return getattr(error, "sqlstate", None) == READ_ONLY


def hide_values(*errors: BaseException | None) -> None:
    """Below what went wrong, PostgreSQL quotes the row that it refused: a log has no use for a correo."""
    for error in errors:
        refusal = getattr(error, "orig", error)
        if error is not None and getattr(refusal, "sqlstate", None) is not None:
            error.args = tuple(part.partition("\n")[0] if isinstance(part, str) else part for part in error.args)


def application_name(url: str, part: str) -> str:
    """For asyncpg, which does not look where libpq does. `part` says which of a process's connections it is."""
    named = make_url(url).query.get("application_name") or os.environ.get("PGAPPNAME") or APPLICATION_NAME
    return f"{named} ({part})"


def _json_text(value: Any) -> str:
    """Several times as fast as Python's own, for a few of these are in every change."""
    return to_json(value).decode()


def _json_value(text: str) -> Any:
    # Its cache outlives the request: names may stay there, what a person wrote may not.
    return from_json(text, cache_strings="keys")


def _engine(url: str, pool_size: int, connect_args: dict[str, Any], **options: Any) -> Engine:
    return create_engine(
        url,
        # All are kept once they are open: opening one costs more than most requests, on SQLite too, where each new one
        # reads the whole schema again.
        pool_size=pool_size,
        max_overflow=0,
        pool_use_lifo=True,
        hide_parameters=True,  # An error may be printed or logged; what was stored may not.
        json_serializer=_json_text,
        connect_args=connect_args,
        **options,
    )


def sqlite_engine(url: str, pool_size: int) -> Engine:
    arguments = {"timeout": LOCK_WAIT_SECONDS, "check_same_thread": False}
    engine = _engine(url, pool_size, arguments, json_deserializer=_json_value)
    file = engine.url.database

    @event.listens_for(engine, "do_connect")
    def make_private(*_: object) -> None:
        """The file is made for its owner only; SQLite gives the files beside it the same mode."""
        if file and Path(file).parent.is_dir() and not Path(file).exists():
            Path(file).touch(mode=0o600)

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # We say BEGIN ourselves, below.
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",  # An answered request survives a power cut.
            "foreign_keys=ON",
            "secure_delete=ON",  # What is erased is overwritten.
            "temp_store=MEMORY",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        if connection.get_execution_options().get("ficha_writes", False):
            begin_writing(connection)
        else:
            _begin(connection, "BEGIN")

    return engine


def begin_writing(connection: Connection) -> None:
    """Begins a transaction that writes, unless one is begun. A transaction that reads first and writes later can be
    refused half-way in WAL mode, so it takes the lock before it reads. PostgreSQL's driver begins with the first
    statement by itself."""
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "sqlite" and not driver.in_transaction:
        _begin(connection, "BEGIN IMMEDIATE")


def _begin(connection: Connection, statement: str) -> None:
    """On the driver: SQLAlchemy's own way takes ten times as long as the statement. Raises OperationalError."""
    driver: Any = connection.connection.driver_connection
    try:
        driver.execute(statement)
    except connection.dialect.loaded_dbapi.OperationalError as error:
        raise OperationalError(statement, None, error) from error


def postgres_engine(url: str, pool_size: int, server: LostServer) -> Engine:
    from psycopg.pq import TransactionStatus  # noqa: PLC0415  Not loaded where the database is SQLite.

    options = f"-c lock_timeout={LOCK_WAIT_SECONDS}s -c timezone=UTC"
    tcp = {name: value for name, value in TCP_OPTIONS.items() if name not in make_url(url).query}
    arguments = {"options": options, "fallback_application_name": APPLICATION_NAME, **tcp}
    engine = _engine(url, pool_size, arguments, pool_timeout=LOCK_WAIT_SECONDS)
    _watch_answers(engine, server)

    @event.listens_for(engine, "checkout")
    def refuse_closed(connection: Any, record: Any, _proxy: object) -> None:
        """SQLAlchemy's own check asks the server each time, which takes as long as a query. Nothing is under way on a
        connection in the pool: if there is something to read, the server has said goodbye."""
        said = poll()
        said.register(connection.fileno(), POLLIN)
        if connection.closed or record.info[WATCH].is_outdated or said.poll(0):
            raise InvalidatePoolError

    @event.listens_for(engine, "handle_error", retval=True)
    def give_up_server(context: ExceptionContext) -> OperationalError | None:
        error, is_demoted = context.original_exception, is_read_only(context.original_exception)
        hide_values(error, context.sqlalchemy_exception)
        context.is_disconnect = context.is_disconnect or is_demoted
        if context.is_disconnect:
            server.lose()
        # To whoever asked it is the same as a server that is gone.
        return OperationalError(context.statement, None, error, hide_parameters=True) if is_demoted else None

    # The driver's own rollback forgets every statement that was prepared, for fear that a table was dropped: after each
    # refused change, the server would read and plan all of them again.
    open_transaction = (TransactionStatus.INTRANS, TransactionStatus.INERROR)

    def roll_back(driver: Any) -> None:
        if not driver.closed and driver.pgconn.transaction_status in open_transaction:
            driver.pgconn.exec_(b"ROLLBACK")

    @event.listens_for(engine, "rollback")
    def before_rollback(connection: Connection) -> None:
        if not connection.invalidated:
            roll_back(connection.connection.driver_connection)

    @event.listens_for(engine, "reset")
    def before_reset(driver: Any, _record: object, _state: object) -> None:
        """A connection comes back to the pool."""
        roll_back(driver)

    return engine


def _watch_answers(engine: Engine, server: LostServer) -> None:
    """Each connection is watched while somebody has it who set its limit."""

    @event.listens_for(engine, "connect")
    def watch(connection: Any, record: Any) -> None:
        record.info[WATCH] = ConnectionWatch(connection.fileno(), server)
        watchdog.add(record.info[WATCH])

    @event.listens_for(engine, "close")
    def forget(_connection: Any, record: Any) -> None:
        if WATCH in record.info:
            watchdog.remove(record.info.pop(WATCH))

    @event.listens_for(engine, "checkin")
    def end(_connection: Any, record: Any) -> None:
        if WATCH in record.info:
            record.info[WATCH].end()

    @event.listens_for(engine, "before_cursor_execute")
    def begin(connection: Connection, *_statement: object) -> None:
        connection.info[WATCH].begin()
