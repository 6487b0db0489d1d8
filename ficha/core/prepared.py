"""Statements that are run all the time: written in SQLAlchemy Core, compiled once, and run on the driver itself.

They are part of the transaction like any other (`transaction.py`). What SQLAlchemy does for each execution (caching,
contexts, result objects) takes longer than the statement itself; the ORM stays for everything that is not asked all the
time.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter
from typing import Any

from sqlalchemy import Dialect, Executable, Float, Table
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.types import TypeEngine

Process = Callable[[Any], Any]
Values = Mapping[str, Any]


@dataclass(frozen=True)
class Compiled:
    """For one driver: the text, the names of its values, how these are given to the driver, and how a row is read."""

    sql: str
    names: frozenset[str]
    parameters: Callable[[Values], Any]
    _prepared: "Prepared"
    _dialect: Dialect

    @cached_property
    def read(self) -> Callable[[Sequence[Any]], Any] | None:
        """Of a row as the driver gives it; None for a change that returns none."""
        return _reader(self._prepared.statement, self._prepared.row, self._dialect)

    def check_names(self, values: Values) -> None:
        """Raises TypeError for a value that the statement does not know, as a call of a function would. One that is
        missing is an error of `parameters`, so it is enough to count: comparing names takes as long as binding them."""
        if len(values) > len(self.names):
            unknown = ", ".join(sorted(values.keys() - self.names))
            raise TypeError(f"The statement has no value named {unknown}: {self.sql}")


class Prepared:
    """A statement with named values. `columns` names those of an INSERT without values of its own; `row` is the
    NamedTuple that its rows are read as; `only` the one database that knows the statement."""

    def __init__(
        self, statement: Executable, columns: Sequence[str] = (), *, row: Any = None, only: str | None = None
    ) -> None:
        self.statement, self.columns, self.row, self.only = statement, columns, row, only
        self._compiled: dict[str, Compiled] = {}

    def compiled_for(self, dialect: Dialect) -> Compiled:
        compiled = self._compiled.get(dialect.driver)
        if compiled is None:
            compiled = self._compiled[dialect.driver] = _compile(self, dialect)
        return compiled


@cache
def insert_if_new(dialect: str, table: Table, columns: tuple[str, ...], returned: tuple[str, ...] = ()) -> Prepared:
    """An INSERT that does nothing for rows that exist already, for one database."""
    statement = insert_or_ignore(table, dialect)
    if returned:
        statement = statement.returning(*(table.c[name] for name in returned))
    return Prepared(statement, columns, only=dialect)


def insert_or_ignore(table: Any, dialect: str) -> Any:
    """An INSERT that does nothing for rows that exist already."""
    if dialect == "sqlite":
        from sqlalchemy.dialects.sqlite import insert as sqlite_insert  # noqa: PLC0415

        return sqlite_insert(table).on_conflict_do_nothing()
    from sqlalchemy.dialects.postgresql import insert as postgres_insert  # noqa: PLC0415

    return postgres_insert(table).on_conflict_do_nothing()


def _compile(prepared: Prepared, dialect: Dialect) -> Compiled:
    statement: Any = prepared.statement
    compiler = statement.compile(dialect=dialect, column_keys=list(prepared.columns) or None)
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
        return Compiled(state.statement, names, named, prepared, dialect)

    if len(order) < 2:  # Of one name `itemgetter` would make no tuple.
        return Compiled(state.statement, names, lambda values: tuple(named(values).values()), prepared, dialect)
    in_order = itemgetter(*order)
    if not constants and not processors:
        return Compiled(state.statement, names, in_order, prepared, dialect)
    changed = [(name, process) for name, process in asked if process is not None]

    def ordered(values: Values) -> Any:
        given = {**values, **constants}
        for name, process in changed:
            given[name] = process(given[name])
        return in_order(given)

    return Compiled(state.statement, names, ordered, prepared, dialect)


def _plain(value: Any) -> Any:
    """A driver takes text, and not every member of an enumeration that is one."""
    return str(value) if isinstance(value, str) else value


def _reader(statement: Any, row: Any, dialect: Dialect) -> Callable[[Sequence[Any]], Any] | None:
    columns = list(getattr(statement, "exported_columns", ()))
    if not columns:
        return None
    row = row or namedtuple("Row", [column.key for column in columns])
    make: Process = row._make
    processors = [_result_processor(column.type, dialect) for column in columns]
    if not any(processors):
        return make
    changed = [(index, process) for index, process in enumerate(processors) if process is not None]

    def read(found: Sequence[Any]) -> Any:
        values = list(found)
        for index, process in changed:
            values[index] = process(values[index])
        return make(values)

    return read


def _result_processor(kind: TypeEngine[Any], dialect: Dialect) -> Process | None:
    # Both drivers give a float by themselves, and SQLAlchemy's processor would ask for the driver's own type.
    return None if isinstance(kind, Float) else kind.dialect_impl(dialect).result_processor(dialect, None)
