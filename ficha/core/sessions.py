"""The sessions of the service. Until the ORM is used, their prepared statements run beside it: what a session does to
begin, to find its connection and to commit takes longer than the statements themselves."""

from typing import Any

from sqlalchemy import Connection, Dialect, Engine, PoolProxiedConnection, event
from sqlalchemy.exc import InvalidRequestError, OperationalError
from sqlalchemy.orm import Session, SessionTransaction

from ficha.core.after_commit import run_after_commit, run_before_commit
from ficha.core.driver_line import DriverLine, raise_as_ours
from ficha.core.engines import begin_writing
from ficha.core.queued_writes import QueuedWrites
from ficha.core.writer_turns import WriterTurns


def line_on(connection: Connection) -> DriverLine:
    return DriverLine(connection.connection.driver_connection, connection.dialect, connection)


def _borrowed(engine: Engine) -> PoolProxiedConnection:
    """Raises OperationalError if none can be opened, as a session that uses the ORM does."""
    try:
        return engine.raw_connection()
    except engine.dialect.loaded_dbapi.OperationalError as error:
        raise OperationalError(None, None, error) from error


class ReadingSession(Session):
    """Only reads. Its prepared statements need no transaction around them, and get none: each sees what is committed
    when it begins."""

    _lent: PoolProxiedConnection | None = None
    _line: DriverLine | None = None

    def line(self) -> DriverLine:
        if self._line is None:
            if self.in_transaction():  # The ORM has a connection of its own.
                return line_on(self.connection())
            assert isinstance(self.bind, Engine)
            self._lent = _borrowed(self.bind)
            _set_autocommit(self._lent, self.bind, True)
            self._line = DriverLine(self._lent.driver_connection, self.bind.dialect, self._lent)
        return self._line

    def get_bind(self, *args: Any, **more: Any) -> Any:
        """Asked for whenever the ORM needs a connection: two for one request could starve others."""
        self._give_back()
        return super().get_bind(*args, **more)

    def close(self) -> None:
        self._give_back()
        # Without the ORM nothing was begun or loaded, and to close that takes SQLAlchemy a tenth of a small read.
        if self.in_transaction() or self.identity_map:
            super().close()

    def _give_back(self) -> None:
        if self._lent is None:
            return
        lent, self._lent, self._line = self._lent, None, None
        if lent.is_valid:
            _set_autocommit(lent, self.bind, False)
        lent.close()


class WritingSession(Session):
    """Its first statement begins the one transaction on the driver. The ORM joins it when it is used, and ends it
    then. `writers` says whose turn it is where one at a time can write."""

    def __init__(self, engine: Engine, writers: WriterTurns | None, info: dict[str, Any]) -> None:
        super().__init__(engine, expire_on_commit=False, info=info, join_transaction_mode="control_fully")
        self._engine, self._writers = engine, writers
        self._begun: Connection | None = None
        self._line: DriverLine | None = None
        # The ORM's transaction or savepoint that `_line` was asked for in; None while there is none.
        self._line_within: SessionTransaction | None = None
        self.queued = QueuedWrites()

    @property
    def dialect(self) -> Dialect:
        return self._engine.dialect

    def line(self) -> DriverLine:
        current = self.get_nested_transaction() or self.get_transaction()
        if self._line is None or current is not self._line_within:
            # `connection` begins a savepoint on the database when it is first asked for within one.
            connection = self._begin_on_driver() if current is None else self.connection()
            self._line, self._line_within = line_on(connection), current
        if self.queued:
            _send_queued(self.queued, self._line)
        return self._line

    def get_bind(self, *args: Any, **more: Any) -> Any:
        """Asked for whenever the ORM needs a connection."""
        begun = self._begin_on_driver()
        if self.queued:
            _send_queued(self.queued, line_on(begun))
        if not begun.in_transaction():
            begun.begin()
        return begun

    def in_transaction(self) -> bool:
        return self._begun is not None or bool(self.queued) or super().in_transaction()

    def begin(self, nested: bool = False) -> SessionTransaction:
        if self.queued:
            self.line()  # What waits is not undone with a savepoint.
        if self._begun is not None and not nested and not super().in_transaction():
            raise InvalidRequestError("A transaction is already begun on this Session.")
        return super().begin(nested)

    def commit(self) -> None:
        if self.in_transaction() and not super().in_transaction():
            self.send_all()  # What it calls may use the ORM.
        if self._begun is None or super().in_transaction():
            super().commit()
        else:
            _commit_on_driver(self._begun)
            run_after_commit(self)
        self._give_back()

    def send_all(self) -> None:
        """All that is to be committed."""
        run_before_commit(self)
        self.flush()
        if self.queued:
            self.line()

    def rollback(self) -> None:
        super().rollback()
        self._give_back()

    def close(self) -> None:
        if super().in_transaction() or self.identity_map:
            super().close()
        self._give_back()

    def _begin_on_driver(self) -> Connection:
        """SQLAlchemy's objects for a transaction take as long as two statements. Raises TimeoutError or
        OperationalError if others write for too long."""
        if self._begun is None:
            connection = self._engine.connect()
            try:
                if self._writers is not None:
                    self._writers.begin(lambda: begin_writing(connection))
            except BaseException:
                connection.close()
                raise
            self._begun = connection
        return self._begun

    def _give_back(self) -> None:
        """Rolls back what was not committed."""
        self.queued.clear()
        self._line = self._line_within = None
        if self._begun is not None:
            begun, self._begun = self._begun, None
            try:
                with begun:  # What the driver has begun, the pool rolls back.
                    if begun.get_transaction() is not None:  # Not even after a commit that failed would SQLAlchemy.
                        begun.rollback()
            finally:
                if self._writers is not None:
                    self._writers.leave()


@event.listens_for(WritingSession, "before_commit")
def _before_commit(session: WritingSession) -> None:
    if not session.in_nested_transaction():  # Within one nothing waits.
        session.send_all()


def _commit_on_driver(begun: Connection) -> None:
    line = line_on(begun)
    try:
        line.driver.commit()
    except line.dialect.loaded_dbapi.Error as error:
        raise_as_ours(line, "COMMIT", error)


def _send_queued(queued: QueuedWrites, line: DriverLine) -> None:
    """What waits was asked for before whatever comes now."""
    for sql, values in queued.take():
        try:
            line.driver.execute(sql, values)
        except line.dialect.loaded_dbapi.Error as error:
            raise_as_ours(line, sql, error)


def _set_autocommit(lent: PoolProxiedConnection, engine: Any, value: bool) -> None:
    """psycopg begins a transaction by itself unless told; SQLite's driver does nothing by itself (`engines.py`)."""
    if engine.dialect.name == "postgresql":
        driver: Any = lent.driver_connection
        driver.autocommit = value
