"""By which keys a statement finds its rows, and where it would go if the tables were divided by record.

Read from the statements and the tables themselves, for docs/statements.md. Nothing of the service runs by it. A join
that does not say on what is not seen, so that a statement with one is judged too badly, never too well.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, ColumnClause, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql
from sqlalchemy.sql import operators, visitors
from sqlalchemy.sql.elements import BinaryExpression, ClauseList, ExpressionClauseList, Grouping

from ficha.core.db import Base
from ficha.core.list_parameters import OneOf
from ficha.core.prepared import Prepared

RECORDS, RECORD = "records", "record_id"
POSTGRES = postgresql.dialect()  # type: ignore[no-untyped-call]


class Destination(StrEnum):
    """Where a statement goes once the rows of a record lie together, apart from those of other records."""

    ONE = "the record's part"
    LOOKUP = "the record's part, after a lookup"
    EVERY = "every part"
    ELSEWHERE = "tables that are not by record"


class ColumnName(NamedTuple):
    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}"


@dataclass(frozen=True)
class StatementKeys:
    """`keys` are the columns by which it is told what to find; `lookups` those of them that lead to the record."""

    does: str
    tables: Sequence[str]
    keys: Sequence[ColumnName]
    goes_to: Destination
    lookups: Sequence[ColumnName] = ()


def home_of(table: Table) -> ColumnName | None:
    """The column that says to which record a row belongs; None for a table that has rows of no record."""
    if table.name == RECORDS:
        return ColumnName(RECORDS, "id")
    column = table.c.get(RECORD)
    return None if column is None or column.nullable else ColumnName(table.name, RECORD)


def keys_of(prepared: Prepared) -> StatementKeys:
    statement: Any = prepared.statement
    elements = list(visitors.iterate(statement))
    tables = {found.name: found for found in _tables(statement, elements)}
    told, equal = set(_told(elements)), list(_equalities(elements))
    homes = {home for table in tables.values() if (home := home_of(table)) is not None}
    if statement.is_insert:  # A row says whose it is.
        told |= {home for home in homes if home.table == statement.table.name}
    keys = sorted(name for name in told if _is_key(tables[name.table], name.column))
    known = _closure(told, equal)
    goes_to, lookups = Destination.ONE, [key for key in keys if key.table not in {home.table for home in homes}]
    if not homes:
        goes_to = Destination.ELSEWHERE
    elif not homes <= known:
        # Whoever looks into a table that is not by record knows all of the row that it finds there.
        found = {ColumnName(key.table, column.name) for key in lookups for column in tables[key.table].c}
        goes_to = Destination.LOOKUP if homes <= _closure(known | found, equal) else Destination.EVERY
    return StatementKeys(
        _what_it_does(prepared), sorted(tables), keys, goes_to, lookups if goes_to is Destination.LOOKUP else ()
    )


def unique_without_home(table: Table) -> list[str]:
    """What must be unique among all rows and does not name the record: only one part could not see to that."""
    home = home_of(table)
    unique = [table.primary_key, *(one for one in table.constraints if isinstance(one, UniqueConstraint))]
    groups = [[column.name for column in one.columns] for one in unique]
    groups += [[column.name for column in index.columns] for index in table.indexes if index.unique]
    return sorted({", ".join(names) for names in groups if home is not None and home.column not in names})


def _what_it_does(prepared: Prepared) -> str:
    statement: Any = prepared.statement
    if statement.is_insert:
        return "add"
    if statement.is_update or statement.is_delete:
        return "change" if statement.is_update else "remove"
    sql = prepared.compiled_for(POSTGRES).sql
    return "lock" if any(f" FOR {strength}" in sql for strength in ("UPDATE", "NO KEY UPDATE", "KEY SHARE")) else "read"


def _tables(statement: Any, elements: Iterable[Any]) -> Iterator[Table]:
    if statement.is_dml:
        yield statement.table
    for element in elements:
        name = _name(element)
        if name is not None:
            yield Base.metadata.tables[name.table]


def _told(elements: Iterable[Any]) -> Iterator[ColumnName]:
    """The columns that are compared with a value that whoever runs the statement gives."""
    for element in elements:
        if isinstance(element, OneOf):
            sides = list(element.clauses)
        elif isinstance(element, BinaryExpression) and element.operator in (operators.eq, operators.in_op):
            sides = [element.left, element.right]
        else:
            continue
        if any(_is_given(side) for side in sides):
            yield from filter(None, map(_name, sides))


def _is_given(side: Any) -> bool:
    """Whether it is a value, or a list of them: not a constant of the statement's own, nor a query."""
    listed = side.element if isinstance(side, Grouping) else side
    values = listed.clauses if isinstance(listed, ClauseList | ExpressionClauseList) else [side]
    return any(isinstance(value, BindParameter) and value.required for value in values)


def _equalities(elements: Iterable[Any]) -> Iterator[set[ColumnName]]:
    for element in elements:
        if isinstance(element, BinaryExpression) and element.operator is operators.eq:
            sides = (_name(element.left), _name(element.right))
            if None not in sides:
                yield set(filter(None, sides))


def _name(element: Any) -> ColumnName | None:
    """Of a column of one of our tables, also where the statement gives the table another name."""
    table: Any = getattr(element, "table", None)
    while hasattr(table, "element"):
        table = table.element
    is_ours = isinstance(element, ColumnClause) and getattr(table, "name", None) in Base.metadata.tables
    return ColumnName(table.name, element.name) if is_ours else None


def _closure(known: Iterable[ColumnName], equal: Sequence[set[ColumnName]]) -> set[ColumnName]:
    """What is known, and what is equal to it."""
    found = set(known)
    while more := {name for pair in equal if pair & found for name in pair - found}:
        found |= more
    return found


def _is_key(table: Table, name: str) -> bool:
    """Whether rows are found by it: it begins the primary key, or an index."""
    column = table.c[name]
    first = [next(iter(table.primary_key.columns), None)]
    first += [next(iter(index.columns), None) for index in table.indexes]
    first += [next(iter(one.columns), None) for one in table.constraints if isinstance(one, UniqueConstraint)]
    return any(column is one for one in first)
