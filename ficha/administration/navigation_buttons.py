"""Navigation buttons: where the pages and apps of a service lead."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field
from sqlalchemy import ForeignKey, Select, String, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.resources import (
    LARGEST,
    DeclaredResource,
    NumberedFields,
    NumberedRow,
    has_letters,
    put_row,
    row_named,
)
from ficha.administration.services import Service
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.text_types import Color, Etiqueta, Keyword, WebUrl
from ficha.core.transaction import Transaction


class NavigationButton(NumberedRow):
    __tablename__ = "navigation_buttons"
    kind = "navigation_button"

    service_id: Mapped[int | None] = mapped_column(ForeignKey(Service.id), index=True)
    label: Mapped[str] = mapped_column(String(60))
    icon: Mapped[str | None] = mapped_column(String(40))
    url: Mapped[str] = mapped_column(String(2048))
    position: Mapped[int]
    color: Mapped[str | None] = mapped_column(String(7))


class NavigationButtonFields(NumberedFields):
    """The whole button: a field that is left out is empty afterwards."""

    service_id: int | None = Field(None, ge=1, le=LARGEST, description="The service it belongs to, if any.")
    label: Etiqueta = Field(examples=["Pedir una ambulancia"])
    icon: Keyword | None = Field(None, description="The name of an icon.", examples=["ambulance"])
    url: WebUrl = Field(description="Where it leads; http or https.", examples=["https://ejemplo.com/ambulancia"])
    position: int = Field(0, ge=0, le=10_000, description="Smaller ones stand first.")
    color: Color | None = Field(None, examples=["#b3261e"])
    is_active: bool = Field(True, description="Only active ones are shown to the public.")


class ServiceUnknown(FichaError):
    status = 422
    code = "servicio_desconocido"
    message = "No hay un servicio con ese id. Cree primero el servicio."
    source = Source("pointer", "/service_id")


def put_navigation_button(
    tx: Transaction, name: str, fields: NavigationButtonFields, actor: Actor, now: datetime
) -> tuple[NavigationButton, bool]:
    """Makes or replaces it; says whether it is new. Raises ServiceUnknown and what `put_row` raises."""
    if fields.service_id is not None and tx.orm.get(Service, fields.service_id) is None:
        raise ServiceUnknown
    return put_row(tx, NavigationButton, name, fields, actor, now)


def active_navigation_button(tx: Transaction, name: str) -> NavigationButton:
    """Raises NotFound, also for one that is not active or whose service is not."""
    found = row_named(tx, NavigationButton, name)
    if found is None or not found.is_active:
        raise NotFound
    if found.service_id is not None and not tx.orm.get_one(Service, found.service_id).is_active:
        raise NotFound
    return found


ID_BITS = 31


def order_of(button: NavigationButton) -> int:
    """One number for position and id, by which they are ordered."""
    return button.position << ID_BITS | button.id


def navigation_buttons(
    tx: Transaction,
    *,
    after: int = 0,
    limit: int,
    only_active: bool = False,
    search: str = "",
    service_id: int | None = None,
) -> Sequence[NavigationButton]:
    """In the order in which they are shown, behind the place `after`; with `search`, those with these letters."""
    position, number = after >> ID_BITS, after & LARGEST
    behind = or_(
        NavigationButton.position > position,
        (NavigationButton.position == position) & (NavigationButton.id > number),
    )
    query = select(NavigationButton).where(behind)
    if search:
        query = query.where(has_letters(search, NavigationButton.label, NavigationButton.external_id))
    if service_id is not None:
        query = query.where(NavigationButton.service_id == service_id)
    if only_active:
        query = _shown(query)
    return tx.orm.scalars(query.order_by(NavigationButton.position, NavigationButton.id).limit(limit)).all()


def _shown(query: Select[NavigationButton]) -> Select[NavigationButton]:
    """A button of a service that is not active leads nowhere."""
    query = query.outerjoin(Service, Service.id == NavigationButton.service_id)
    return query.where(NavigationButton.is_active, or_(Service.id.is_(None), Service.is_active))


BUTTONS = DeclaredResource(
    NavigationButton,
    NavigationButtonFields,
    key="external_id",
    title="label",
    columns=("id", "label", "url", "service_id", "position", "is_active"),
    form={
        "external_id": "code",
        "label": "text",
        "url": "code",
        "service_id": "choice",
        "icon": "text",
        "color": "text",
        "position": "text",
        "is_active": "checkbox",
    },
    find=lambda tx, name: row_named(tx, NavigationButton, name),
    rows=navigation_buttons,
    put=put_navigation_button,
    cursor_of=order_of,
)
