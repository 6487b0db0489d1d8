"""Rows that are one value of a statement, for PostgreSQL, which takes them as JSON: with a statement for each row, its
driver spends more on the row than the server does."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json
from sqlalchemy import (
    JSON,
    ColumnElement,
    LargeBinary,
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
from sqlalchemy.types import TypeEngine

from ficha.core.db import Json
from ficha.core.prepared import Prepared

ROWS = "rows"


def given_rows(types: Mapping[str, TypeEngine[Any]]) -> TableValuedAlias:
    """To select from: the rows that are given under the name `rows`. Bytes come as text of hexadecimal digits."""
    columns = [column(name, _sent_as(kind)) for name, kind in types.items()]
    found = func.json_to_recordset(cast(bindparam(ROWS, type_=Text()), JSON)).table_valued(*columns)
    return found.render_derived(name="given", with_types=True)


def rows_value(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as `given_rows` takes them."""
    return to_json(rows, bytes_mode="hex").decode()


def insert_given(table: Table, names: Sequence[str], **computed: ColumnElement[Any]) -> Prepared:
    """An INSERT of rows with these columns, and with others that the server computes for each."""
    given = given_rows({name: table.c[name].type for name in names})
    stored = [_stored(given.c[name], table.c[name].type) for name in names]
    query = select(*stored, *computed.values())
    return Prepared(sql_insert(table).from_select([*names, *computed], query), only="postgresql")


def _sent_as(kind: TypeEngine[Any]) -> TypeEngine[Any]:
    if isinstance(kind, LargeBinary):
        return Text()
    return JSON() if isinstance(kind, Json) else kind


def _stored(value: ColumnElement[Any], kind: TypeEngine[Any]) -> ColumnElement[Any]:
    return func.decode(value, "hex") if isinstance(kind, LargeBinary) else value
