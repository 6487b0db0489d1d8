"""What administrators keep is declared once: the operations, the console's list and its form are made of that. Rows are
made or replaced as a whole; numbered ones are found by their number or by a name of the caller's (`external_id`)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, String, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Mapped, mapped_column

from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, Source
from ficha.core.text_types import Slug
from ficha.core.transaction import Transaction

NAME = re.compile(r"[a-z][a-z0-9_-]{1,59}")
LARGEST = 2**31 - 1


# How a field is asked for and shown. A code is an address or a name whose letters count.
FieldKind = Literal["text", "paragraph", "checkbox", "choice", "code"]


class ResourceRow(Base):
    __abstract__ = True
    # In the API's answers and in the log of changes.
    kind: ClassVar[str]
    id: Any
    is_active: Mapped[bool]
    updated_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def resource_id(self) -> int | str:
        """What addresses and the log of changes name it by."""
        number: int = self.id
        return number


class NumberedRow(ResourceRow):
    """`id` is given by the caller, or the next one that is free."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    external_id: Mapped[str | None] = mapped_column(String(60), unique=True)


class NumberedFields(BaseModel):
    """What the caller sends: the row as a whole. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    id: int | None = Field(None, ge=1, le=LARGEST, description="Its number; given by us when absent.", examples=[1])
    external_id: Slug | None = Field(None, description="A name of yours for it.", examples=["ambulancias"])


@dataclass(frozen=True)
class DeclaredResource:
    """`fields` are what a caller sends; `form` is what the console asks for, in that order, and `columns` are what it
    lists; their words are among the texts of its pages. `answered` are the columns that the API's answers tell, where
    these are not the fields alone. `key` is the name that its maker chooses for addresses; the `title` leads to the
    form."""

    table: type[Any]
    fields: type[BaseModel]
    key: str
    title: str
    columns: Sequence[str]
    form: Mapping[str, FieldKind]
    # None if there is no such row.
    find: Callable[[Transaction, str], Any]
    # With `after`, `limit`, `only_active` and `search`, as `rows_by_number` has them.
    rows: Callable[..., Sequence[Any]]
    put: Callable[[Transaction, str, Any, Actor, datetime], tuple[Any, bool]]
    # By which a list goes on behind a row.
    cursor_of: Callable[[Any], int] = lambda row: int(row.id)
    answered: Sequence[str] = ()


class NameTaken(FichaError):
    status = 409
    code = "registro_en_uso"
    message = "Otro registro tiene ya ese id o ese external_id, o se creó al mismo tiempo. Léalo y repita el cambio."


class NotAName(FichaError):
    status = 422
    code = "nombre_invalido"
    message = "Nómbrelo con su número, o con letras minúsculas, cifras y guiones, empezando por una letra."


class OtherNumber(FichaError):
    status = 422
    code = "id_distinto"
    message = "El id no es el del registro que nombra la dirección."
    source = Source("pointer", "/id")


class OtherName(FichaError):
    status = 422
    code = "external_id_distinto"
    message = "El external_id no es el que nombra la dirección."
    source = Source("pointer", "/external_id")


R = TypeVar("R", bound=ResourceRow)
N = TypeVar("N", bound=NumberedRow)


def replace_row(
    tx: Transaction, row: R, before: Mapping[str, Any], after: Mapping[str, Any], actor: Actor, now: datetime
) -> tuple[R, bool]:
    """Gives the row these values and notes that; `before` is empty for a new one. Returns it and whether it is new. The
    same again changes nothing. Raises NameTaken."""
    if before == after:
        return row, False
    for column, value in after.items():
        setattr(row, column, value)
    row.updated_at = now
    tx.orm.add(row)
    try:
        tx.orm.flush()
    except IntegrityError:
        raise NameTaken from None
    action = "changed" if before else "created"
    note_change(tx, actor, row.kind, row.resource_id, action, now, before=before, after=after)
    return row, not before


def rows_by_number(
    table: type[R],
    searched: Sequence[InstrumentedAttribute[Any]],
    tx: Transaction,
    *,
    after: int = 0,
    limit: int,
    only_active: bool = False,
    search: str = "",
) -> Sequence[R]:
    """Above `after`; with `search`, those with these letters in one of the `searched` columns."""
    query = select(table).where(table.id > after)
    if search:
        query = query.where(has_letters(search, *searched))
    if only_active:
        query = query.where(table.is_active)
    return tx.orm.scalars(query.order_by(table.id).limit(limit)).all()


def has_letters(search: str, *columns: ColumnElement[Any] | InstrumentedAttribute[Any]) -> ColumnElement[bool]:
    """Whether one of the columns holds these letters, great or small."""
    return or_(*(column.icontains(search, autoescape=True) for column in columns))


def row_named(tx: Transaction, table: type[N], name: str, *, locks: bool = False) -> N | None:
    """By number or by name, active or not."""
    number = _number(name)
    query = select(table).where(table.external_id == name if number is None else table.id == number)
    return tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()


def put_row(
    tx: Transaction, table: type[N], name: str, fields: NumberedFields, actor: Actor, now: datetime
) -> tuple[N, bool]:
    """Makes the row or replaces all of it, and notes that. Returns it and whether it is new. The same again changes
    nothing. Raises NotAName, OtherNumber, OtherName or NameTaken."""
    number = _number(name)
    if number is None and not NAME.fullmatch(name):
        raise NotAName
    found = row_named(tx, table, name, locks=True)
    if number is None and fields.external_id not in (None, name):
        raise OtherName
    known = found.id if found is not None else number
    if known is not None and fields.id not in (None, known):
        raise OtherNumber
    values = fields.model_dump()
    values["id"] = known or fields.id or _next_number(tx, table)
    values["external_id"] = name if number is None else fields.external_id or (found.external_id if found else None)
    before = {} if found is None else row_values(found)
    return replace_row(tx, found or table(), before, values, actor, now)


def row_values(row: NumberedRow) -> dict[str, Any]:
    """What a caller may give, as it is stored."""
    return {column.key: getattr(row, column.key) for column in row.__table__.columns if column.key != "updated_at"}


def _number(name: str) -> int | None:
    if not (name.isascii() and name.isdigit()) or len(name) > 10 or not 0 < int(name) <= LARGEST:
        return None
    return int(name)


def _next_number(tx: Transaction, table: type[N]) -> int:
    return (tx.orm.scalar(select(func.max(table.id))) or 0) + 1
