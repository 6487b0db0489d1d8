"""Lists and rows as one value of a statement that is compiled once: its text is the same for any length."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json
from sqlalchemy import (
    JSON,
    BigInteger,
    ColumnElement,
    Dialect,
    LargeBinary,
    String,
    Table,
    TableValuedAlias,
    Text,
    bindparam,
    cast,
    column,
    func,
    select,
)
from sqlalchemy import insert as sql_insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator, TypeEngine

from ficha.core.db import Json
from ficha.core.prepared import Prepared


class ListParameter(TypeDecorator[Sequence[Any]]):
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
        return list(value) if dialect.name == "postgresql" else to_json(list(value)).decode()


class OneOf(FunctionElement[bool]):
    # It has no type on purpose: of a Boolean, SQLite would be asked whether it `= 1`, and use no index for that.
    inherit_cache = True


def one_of(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether the column is in the list that is given under this name: numbers or texts, as the column is."""
    return OneOf(column, bindparam(name, type_=ListParameter(isinstance(column.type, String))))


@compiles(OneOf, "sqlite")
def _on_sqlite(element: OneOf, compiler: SQLCompiler, **options: Any) -> str:
    column, given = (compiler.process(each, **options) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({given}))"  # noqa: S608


@compiles(OneOf, "postgresql")
def _on_postgresql(element: OneOf, compiler: SQLCompiler, **options: Any) -> str:
    column, given = (compiler.process(each, **options) for each in element.clauses)
    return f"{column} = ANY ({given})"


ROWS = "rows"


def table_of_rows(types: Mapping[str, TypeEngine[Any]]) -> TableValuedAlias:
    """To select from: the rows that are given under the name `rows`. Bytes come as text of hexadecimal digits."""
    columns = [column(name, _sent_as(kind)) for name, kind in types.items()]
    found = func.json_to_recordset(cast(bindparam(ROWS, type_=Text()), JSON)).table_valued(*columns)
    return found.render_derived(name="given", with_types=True)


def rows_value(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as `table_of_rows` takes them."""
    return to_json(rows, bytes_mode="hex").decode()


def insert_rows(table: Table, names: Sequence[str], **computed: ColumnElement[Any]) -> Prepared:
    """An INSERT of rows with these columns, and with others that the server computes for each."""
    given = table_of_rows({name: table.c[name].type for name in names})
    stored = [_stored(given.c[name], table.c[name].type) for name in names]
    query = select(*stored, *computed.values())
    return Prepared(sql_insert(table).from_select([*names, *computed], query), only="postgresql")


def _sent_as(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    if isinstance(kind, LargeBinary):
        return Text()
    return JSON() if isinstance(kind, Json) else kind


def _stored(value: ColumnElement[Any], kind: TypeEngine[Any]) -> ColumnElement[Any]:
    return func.decode(value, "hex") if isinstance(kind, LargeBinary) else value
