"""`column is one of a list`, for statements that are compiled once: their text is the same for a list of any length."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Dialect, String, Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine


class GivenList(TypeDecorator[Sequence[Any]]):
    """One value that is a list: an array on PostgreSQL, JSON on SQLite."""

    impl = Text
    cache_ok = True

    def __init__(self, is_text: bool) -> None:
        super().__init__()
        self.is_text = is_text

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        if dialect.name != "postgresql":
            return super().load_dialect_impl(dialect)
        from sqlalchemy.dialects.postgresql import ARRAY  # noqa: PLC0415  A service on SQLite does not load it.

        return dialect.type_descriptor(ARRAY(String() if self.is_text else BigInteger()))

    def process_bind_param(self, value: Sequence[Any] | None, dialect: Dialect) -> Any:
        if value is None:
            return None
        return list(value) if dialect.name == "postgresql" else json.dumps(list(value))


class OneOf(FunctionElement[bool]):
    # It has no type on purpose: of a Boolean, SQLite would be asked whether it `= 1`, and use no index for that.
    inherit_cache = True


def one_of(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether the column is in the list that is given under this name: numbers or texts, as the column is."""
    return OneOf(column, bindparam(name, type_=GivenList(isinstance(column.type, String))))


@compiles(OneOf, "sqlite")
def _on_sqlite(element: OneOf, compiler: SQLCompiler, **options: Any) -> str:
    column, given = (compiler.process(each, **options) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({given}))"  # noqa: S608


@compiles(OneOf, "postgresql")
def _on_postgresql(element: OneOf, compiler: SQLCompiler, **options: Any) -> str:
    column, given = (compiler.process(each, **options) for each in element.clauses)
    return f"{column} = ANY ({given})"
