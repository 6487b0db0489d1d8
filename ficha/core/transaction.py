"""One transaction: it owns the connection, its beginning and its end, and has two ways to speak to the database.

`docs/transactions.md` says when to use which.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import Any, NoReturn, Self

from sqlalchemy import Connection, Dialect, Engine, event
from sqlalchemy import Transaction as SqlTransaction
from sqlalchemy.exc import DBAPIError, IntegrityError, InvalidRequestError, OperationalError
from sqlalchemy.orm import Session

from ficha.core.answer_deadlines import ConnectionWatch
from ficha.core.clock import Clock
from ficha.core.engines import WATCH, hide_values, is_read_only
from ficha.core.prepared import Compiled, Prepared, Values
from ficha.core.writer_turns import WriterTurns

# Called before a statement runs, with its text; BEGIN and COMMIT are among them.
OnStatement = Callable[[str], None]


class Transaction:
    """Begins with its first statement. What is not committed is rolled back; after either the next statement begins
    anew. One that only reads needs no transaction around its prepared statements, and gets none: each sees what is
    committed when it begins."""

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        *,
        writes: bool = True,
        writers: WriterTurns | None = None,
        info: Mapping[str, Any] | None = None,
        on_statement: OnStatement | None = None,
        answer_seconds: float | None = None,
    ) -> None:
        self._engine, self._clock = engine, clock
        self._writes, self._writers = writes, writers
        self._on_statement = on_statement
        self._answer_seconds = answer_seconds
        # Of PostgreSQL's connection: how long its server may take to answer.
        self._watch: ConnectionWatch | None = None
        # What the database gives to all of its transactions.
        self.info: Mapping[str, Any] = info or {}
        self._connection: Connection | None = None
        self._begun: SqlTransaction | None = None
        self._driver: Any = None
        # Within `together`: the driver's, or on SQLite something in its place.
        self._pipeline: Any = None
        self._session: Session | None = None
        # As keys: asked for twice, each is called once.
        self._before: dict[Callable[[Transaction], None], None] = {}
        self._after: dict[Callable[[], None], None] = {}

    # Prepared statements

    def first(self, statement: Prepared, **values: Any) -> Any:
        """The first row, or None."""
        found = self.all(statement, **values)
        return found[0] if found else None

    def all(self, statement: Prepared, **values: Any) -> list[Any]:
        """The rows, with the names of the columns as attributes."""
        compiled = statement.compiled_for(self.dialect)
        cursor = self._execute(compiled, values)
        try:
            found = cursor.fetchall()
        except self.dialect.loaded_dbapi.Error as error:
            self._raise_as_ours(compiled.sql, error)
        assert compiled.read is not None
        return [compiled.read(row) for row in found]

    def run(self, statement: Prepared, **values: Any) -> None:
        self._execute(statement.compiled_for(self.dialect), values)

    def changed(self, statement: Prepared, **values: Any) -> int:
        """How many rows it met. Within `together` it waits for the answer."""
        cursor = self._execute(statement.compiled_for(self.dialect), values)
        if self._pipeline is not None and not self.is_sqlite:
            with self._translated("a pipeline"):
                self._pipeline.sync()
        count: int = cursor.rowcount
        return count

    def run_many(self, statement: Prepared, rows: Sequence[Values]) -> None:
        """A change for each of these values, in one trip to the database."""
        compiled = statement.compiled_for(self.dialect)
        for values in rows:
            compiled.check_names(values)
        driver = self._ready(compiled.sql)
        with self._translated(compiled.sql):
            driver.cursor().executemany(compiled.sql, [compiled.parameters(values) for values in rows])

    @contextmanager
    def together(self) -> Iterator[None]:
        """The prepared statements inside go to PostgreSQL without waiting for each answer; what failed is raised at the
        end of the block at the latest. SQLite has no trips to save."""
        driver = self._ready("")
        pipeline = nullcontext(self) if self.is_sqlite else driver.pipeline()
        with self._translated("a pipeline"), pipeline as begun:
            outer, self._pipeline = self._pipeline, begun
            try:
                yield
            finally:
                self._pipeline = outer

    # The ORM

    @property
    def orm(self) -> Session:
        """An ordinary session that is part of this transaction. It never commits: whoever owns the transaction does.
        Within `together` there is none: SQLAlchemy reads the answer to each statement at once."""
        if self._pipeline is not None:
            raise InvalidRequestError("The ORM cannot be used within `together`.")
        if self._session is None:
            self._session = Session(self._begin(), expire_on_commit=False, join_transaction_mode="rollback_only")
        return self._session

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """When anything is raised inside, what was done inside is undone, and no more."""
        with self.orm.begin_nested():
            self.orm.connection()  # It sends SAVEPOINT no earlier, and prepared statements would come before it.
            yield

    # Beginning and end

    def before_commit(self, call: "Callable[[Transaction], None]") -> None:
        """Calls it within the transaction just before it is committed, once, however often that was asked for."""
        self._before[call] = None

    def after_commit(self, call: Callable[[], None]) -> None:
        """The same once others can see what was written, in this thread."""
        self._after[call] = None

    def commit(self) -> None:
        before, self._before = self._before, {}
        for call in before:
            call(self)
        if self._session is not None:
            self._session.flush()
        after = self._after
        if self._begun is not None:
            self._tell("COMMIT")
            self._expect_answer()
            self._begun.commit()
            self._begun = None
        self.rollback()
        for done in after:
            done()

    def rollback(self) -> None:
        """What was not committed; and gives the connection back."""
        self._before, self._after = {}, {}
        connection, session, begun = self._connection, self._session, self._begun
        if connection is None:
            return
        self._expect_answer()
        self._connection = self._driver = self._session = self._begun = None
        try:
            if session is not None:
                session.close()
            # After a commit that failed it is not active, and yet nothing is rolled back.
            if begun is not None and (begun.is_active or connection.get_transaction() is begun):
                begun.rollback()
        finally:
            self._release(connection)

    def give_back(self) -> None:
        """Of one that only reads: its connection, before work that takes long. What it is asked next sees what was
        committed until then."""
        assert not self._writes
        self.rollback()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.rollback()

    # What everybody who has a transaction may ask

    @property
    def dialect(self) -> Dialect:
        return self._engine.dialect

    @property
    def is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def now(self) -> datetime:
        """By the clock of the database, for what is stamped without being told a time."""
        return self._clock.now()

    def connection(self) -> Connection:
        """For what is neither prepared nor the ORM's."""
        if self._session is not None:
            return self._session.connection()
        return self._begin()

    # How it is done

    def _execute(self, compiled: Compiled, values: Values) -> Any:
        compiled.check_names(values)
        driver = self._ready(compiled.sql)
        try:
            return driver.execute(compiled.sql, compiled.parameters(values))
        except self.dialect.loaded_dbapi.Error as error:
            self._raise_as_ours(compiled.sql, error)

    def _ready(self, sql: str) -> Any:
        """The driver's own connection, with all written that the ORM holds. Raises InvalidRequestError after a flush
        that failed: the transaction is rolled back by then, and on SQLite the statement would be committed alone."""
        if self._session is not None and self._pipeline is None:
            self._session.flush()
        if self._connection is None:
            self._begin()
        if self._begun is not None and not self._begun.is_active:
            raise InvalidRequestError("The transaction was rolled back by an earlier error.")
        if sql:
            self._tell(sql)
        self._expect_answer()
        return self._driver

    def _begin(self) -> Connection:
        """Raises TimeoutError or OperationalError if others write for too long."""
        if self._connection is not None:
            return self._connection
        connection = self._engine.connect()
        if self._on_statement is not None:
            event.listen(connection, "before_cursor_execute", _told_to(self._on_statement))
        try:
            if self._writes:
                self._tell("BEGIN")
                self._begun = connection.begin() if self._writers is None else self._writers.begin(connection.begin)
        except BaseException:
            connection.close()
            raise
        self._connection, self._driver = connection, connection.connection.driver_connection
        self._watch = connection.info.get(WATCH)
        if self._watch is not None:
            self._watch.seconds = self._answer_seconds
        return connection

    def _expect_answer(self) -> None:
        if self._watch is not None:
            self._watch.begin()

    def _release(self, connection: Connection) -> None:
        try:
            connection.close()
        finally:
            if self._writers is not None:
                self._writers.leave()

    def _tell(self, sql: str) -> None:
        if self._on_statement is not None:
            self._on_statement(sql)

    @contextmanager
    def _translated(self, sql: str) -> Iterator[None]:
        try:
            yield
        except self.dialect.loaded_dbapi.Error as error:
            self._raise_as_ours(sql, error)

    def _raise_as_ours(self, sql: str, error: Exception) -> NoReturn:
        """As SQLAlchemy would: its own classes, without the values, and a lost connection is not used again."""
        dbapi = self.dialect.loaded_dbapi
        hide_values(error)
        is_lost = self.dialect.is_disconnect(error, self._driver, None) or is_read_only(error)  # type: ignore[arg-type]
        if is_lost and self._connection is not None:
            self._connection.invalidate(error)
            if self._watch is not None:
                self._watch.lose_server()
        kinds = ((dbapi.IntegrityError, IntegrityError), (dbapi.OperationalError, OperationalError))
        kind = next((ours for theirs, ours in kinds if isinstance(error, theirs)), DBAPIError)
        kind = OperationalError if is_read_only(error) else kind
        raise kind(sql, None, error, hide_parameters=True, connection_invalidated=is_lost) from error


def _told_to(call: OnStatement) -> Callable[..., None]:
    def tell(_connection: Connection, _cursor: object, statement: str, *_more: object) -> None:
        call(statement)

    return tell
