"""What administrators keep is declared once: the operations, the console's list and its form are made of that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

from pydantic import BaseModel
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Mapped, mapped_column

from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.db import Base, Utc
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.fmd.translations import Translated


class Label(NamedTuple):
    """What people call a field, and how it is asked for and shown. A code is an address or a name whose letters
    count."""

    words: Translated
    hint: Translated | None = None
    kind: Literal["text", "paragraph", "checkbox", "choice", "code"] = "text"


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


@dataclass(frozen=True)
class DeclaredResource:
    """`fields` are what a caller sends; `form` is what the console asks for, in that order, and `columns` are what it
    lists. `answered` are the columns that the API's answers tell, where these are not the fields alone. `key` is the
    name that its maker chooses for addresses; the `title` leads to the form. `texts` are what the console says besides:
    lead, none, new, change."""

    table: type[Any]
    fields: type[BaseModel]
    key: str
    title: str
    columns: Sequence[str]
    form: Mapping[str, Label]
    texts: Mapping[str, Translated]
    # None if there is no such row.
    find: Callable[[Transaction, str], Any]
    # With `after`, `limit`, `only_active` and `search`, as `rows_by_number` has them.
    rows: Callable[..., Sequence[Any]]
    put: Callable[[Transaction, str, Any, Actor, datetime], tuple[Any, bool]]
    # By which a list goes on behind a row.
    place: Callable[[Any], int] = lambda row: int(row.id)
    answered: Sequence[str] = ()


class NameTaken(FichaError):
    status = 409
    code = "registro_en_uso"
    message = "Otro registro tiene ya ese id o ese external_id, o se creó al mismo tiempo. Léalo y repita el cambio."


R = TypeVar("R", bound=ResourceRow)


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
