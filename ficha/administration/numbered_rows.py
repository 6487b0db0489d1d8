"""Rows that are found by their number or by a name of the caller's (`external_id`), and made or replaced as a whole."""

import re
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import String, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.resources import Label, ResourceRow, replace_row
from ficha.audit.log import Actor
from ficha.core.db import BigId
from ficha.core.errors import FichaError, Source
from ficha.core.text_types import Slug
from ficha.core.transaction import Transaction
from ficha.fmd.translations import Translated

NAME = re.compile(r"[a-z][a-z0-9_-]{1,59}")
LARGEST = 2**31 - 1
# What the forms of several kinds ask for.
EXTERNAL_ID = Label(
    Translated("Nombre para direcciones", "Name for addresses", "Nome para endereços"),
    hint=Translated(
        "Letras minúsculas, cifras y guiones: ambulancias.",
        "Small letters, digits and hyphens: ambulancias.",
        "Letras minúsculas, números e hifens: ambulancias.",
    ),
    kind="code",
)
IS_ACTIVE = Label(Translated("Se muestra al público", "Shown to the public", "Mostra-se ao público"), kind="checkbox")
COLOR = Label(
    Translated("Color", "Colour", "Cor"), hint=Translated("Como #b3261e.", "Such as #b3261e.", "Como #b3261e.")
)


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


R = TypeVar("R", bound=NumberedRow)


def row_named(tx: Transaction, table: type[R], name: str, *, locks: bool = False) -> R | None:
    """By number or by name, active or not."""
    number = _number(name)
    query = select(table).where(table.external_id == name if number is None else table.id == number)
    return tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()


def put_row(
    tx: Transaction, table: type[R], name: str, fields: NumberedFields, actor: Actor, now: datetime
) -> tuple[R, bool]:
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


def _next_number(tx: Transaction, table: type[R]) -> int:
    return (tx.orm.scalar(select(func.max(table.id))) or 0) + 1
