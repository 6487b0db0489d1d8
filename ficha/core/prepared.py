"""Statements that are run all the time: written in SQLAlchemy Core, compiled once, and run on the session's own driver.

They are part of the session's transaction like any other. What SQLAlchemy does for each execution (caching, contexts,
result objects) takes longer than the statement itself; the ORM stays for everything that is not asked all the time.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from operator import itemgetter
from typing import Any, NamedTuple, TypeGuard

from sqlalchemy import Dialect, Executable, Float, Table, TableClause, UpdateBase
from sqlalchemy.orm import Session
from sqlalchemy.sql import visitors
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

from ficha.core.db import dialect_of, insert_or_ignore, is_sqlite
from ficha.core.driver_line import DriverLine, raise_as_ours
from ficha.core.queued_writes import QueuedWrite
from ficha.core.sessions import ReadingSession, WritingSession, line_on

Process = Callable[[Any], Any]
Values = Mapping[str, Any]


class Compiled(NamedTuple):
    """For one dialect: the text, the names of its values, how these are given to the driver, and how a row is read."""

    sql: str
    names: frozenset[str]
    parameters: Callable[[Values], Any]
    read: Callable[[Sequence[Any]], Any] | None


class Prepared:
    """A statement with named values. `columns` names those of an INSERT without values of its own; `only` the one
    database that knows the statement."""

    def __init__(self, statement: Executable, columns: Sequence[str] = (), *, only: str | None = None) -> None:
        self._statement, self._columns, self.only = statement, columns, only
        self._compiled: dict[str, Compiled] = {}

    def all(self, session: Session, **values: Any) -> list[Any]:
        """The rows, with the names of the columns as attributes."""
        line, compiled, cursor = self._execute(session, values)
        try:
            found = cursor.fetchall()
        except line.dialect.loaded_dbapi.Error as error:
            raise_as_ours(line, compiled.sql, error)
        assert compiled.read is not None
        return [compiled.read(row) for row in found]

    def first(self, session: Session, **values: Any) -> Any:
        """The first row, or None."""
        found = self.all(session, **values)
        return found[0] if found else None

    def run(self, session: Session, **values: Any) -> int:
        """For a change: how many rows it met."""
        count: int = self._execute(session, values)[2].rowcount
        return count

    def queue(self, session: Session, **values: Any) -> None:
        """The same for who does not ask how many: it may wait for the session's next statement or its commit, and what
        it raises is raised there."""
        if _may_wait(session):
            session.flush()
            self._add_to_queue(session, values)
        else:
            self._execute(session, values)

    def run_many(self, session: Session, rows: Sequence[Values]) -> None:
        """A change for each of these values, in one trip to the database. For rows that nothing else refers to: what
        the ORM holds is not written first, because with many such changes in a row that would cost the most."""
        if len(rows) == 1 and _may_wait(session):
            self._add_to_queue(session, rows[0])
            return
        line = _line_of(session)
        compiled = self.compiled_for(line.dialect)
        for values in rows:
            _check_names(compiled, values)
        given = [compiled.parameters(values) for values in rows]
        try:
            line.driver.cursor().executemany(compiled.sql, given)
        except line.dialect.loaded_dbapi.Error as error:
            raise_as_ours(line, compiled.sql, error)

    @cached_property
    def _tables(self) -> tuple[str | None, frozenset[str]]:
        """The one that it changes, and all that it mentions."""
        changed = self._statement.table if isinstance(self._statement, UpdateBase) else None
        parts = visitors.iterate(self._statement)  # type: ignore[arg-type]
        mentioned = frozenset(part.name for part in parts if isinstance(part, TableClause))
        return (changed.name if isinstance(changed, TableClause) else None), mentioned

    def compiled_for(self, dialect: Dialect) -> Compiled:
        compiled = self._compiled.get(dialect.name)
        if compiled is None:
            compiled = self._compiled[dialect.name] = _compile(self._statement, self._columns, dialect)
        return compiled

    def _add_to_queue(self, session: WritingSession, values: Values) -> None:
        compiled = self.compiled_for(session.dialect)
        _check_names(compiled, values)
        session.queued.add(QueuedWrite(compiled.sql, compiled.parameters(values), *self._tables))

    def _execute(self, session: Session, values: Values) -> tuple[DriverLine, Compiled, Any]:
        session.flush()  # What the ORM holds is written first, as before any statement.
        line = _line_of(session)
        compiled = self.compiled_for(line.dialect)
        _check_names(compiled, values)
        try:
            return line, compiled, line.driver.execute(compiled.sql, compiled.parameters(values))
        except line.dialect.loaded_dbapi.Error as error:
            raise_as_ours(line, compiled.sql, error)


def _line_of(session: Session) -> DriverLine:
    return session.line() if isinstance(session, ReadingSession | WritingSession) else line_on(session.connection())


def _may_wait(session: Session) -> TypeGuard[WritingSession]:
    """A savepoint may be undone, and what waits with it."""
    is_writing = isinstance(session, WritingSession) and not is_sqlite(session)
    return is_writing and not session.in_nested_transaction()


@cache
def prepared(statement: Executable) -> Prepared:
    """The one for this statement, which is a constant of its module."""
    return Prepared(statement)


def insert_if_new(session: Session, table: Table, columns: tuple[str, ...], returned: tuple[str, ...] = ()) -> Prepared:
    """An INSERT that does nothing for rows that exist already, for the session's database."""
    return _insert_if_new(dialect_of(session), table, columns, returned)


@cache
def _insert_if_new(dialect: str, table: Table, columns: tuple[str, ...], returned: tuple[str, ...]) -> Prepared:
    statement = insert_or_ignore(table, dialect)
    if returned:
        statement = statement.returning(*(table.c[name] for name in returned))
    return Prepared(statement, columns, only=dialect)


def _check_names(compiled: Compiled, values: Values) -> None:
    """Raises TypeError for a value that the statement does not know, as a call of a function would. One that is missing
    is an error of `parameters`, so it is enough to count: to compare names would take as long as to bind them."""
    if len(values) > len(compiled.names):
        unknown = ", ".join(sorted(values.keys() - compiled.names))
        raise TypeError(f"The statement has no value named {unknown}: {compiled.sql}")


def _compile(statement: Executable, columns: Sequence[str], dialect: Dialect) -> Compiled:
    compiler = statement.compile(dialect=dialect, column_keys=list(columns) or None)  # type: ignore[attr-defined]
    assert isinstance(compiler, SQLCompiler)
    own = {name: bind.value for name, bind in compiler.binds.items() if not bind.required}
    state = compiler.construct_expanded_state({name: own.get(name) for name in compiler.binds})
    # `state` knows those of a list's members, `binds` all others.
    processors: dict[str, Process] = dict(state.processors)
    for name, bind in compiler.binds.items():
        process = bind.type.dialect_impl(dialect).bind_processor(dialect)
        if process is not None:
            processors[name] = process
    constants = {
        name: processors[name](value) if name in processors else _plain(value)
        for name, value in state.parameters.items()
        if name not in compiler.binds or name in own
    }
    asked = [(name, processors.get(name)) for name in state.parameters if name not in constants]
    names = frozenset(name for name, _ in asked)

    def named(values: Values) -> dict[str, Any]:
        given = {name: values[name] if process is None else process(values[name]) for name, process in asked}
        return given | constants if constants else given

    order = state.positiontup
    if order is None:
        return Compiled(state.statement, names, named, _reader(statement, dialect))

    places = [(name, processors.get(name)) for name in order]
    if len(places) > 1 and not constants and not processors:  # Of one name it would make no tuple.
        return Compiled(state.statement, names, itemgetter(*order), _reader(statement, dialect))

    def ordered(values: Values) -> tuple[Any, ...]:
        if constants:
            given = named(values)
            return tuple([given[name] for name in order])
        return tuple([values[name] if process is None else process(values[name]) for name, process in places])

    return Compiled(state.statement, names, ordered, _reader(statement, dialect))


def _plain(value: Any) -> Any:
    """A driver takes text, and not every member of an enumeration that is one."""
    return str(value) if isinstance(value, str) else value


def _reader(statement: Any, dialect: Dialect) -> Callable[[Sequence[Any]], Any] | None:
    columns = list(getattr(statement, "exported_columns", ()))
    if not columns:
        return None
    row = namedtuple("Row", [column.key for column in columns])  # type: ignore[misc]
    processors = [_result_processor(column.type, dialect) for column in columns]
    if not any(processors):
        return row._make
    changed = [(place, process) for place, process in enumerate(processors) if process is not None]

    def read(found: Sequence[Any]) -> Any:
        values = list(found)
        for place, process in changed:
            values[place] = process(values[place])
        return row._make(values)

    return read


def _result_processor(kind: TypeEngine[Any], dialect: Dialect) -> Process | None:
    # Both drivers give a float by themselves, and SQLAlchemy's processor would ask for the driver's own type.
    return None if isinstance(kind, Float) else kind.dialect_impl(dialect).result_processor(dialect, None)
