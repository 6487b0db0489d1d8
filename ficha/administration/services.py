"""Services: what an institution or partner offers, with its looks, as the pages and apps show it."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import Field
from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.numbered_rows import NumberedFields, NumberedRow, has_letters, put_row, row_named
from ficha.administration.service_logos import follow_url
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.core.text_types import Nombre
from ficha.core.transaction import Transaction
from ficha.core.web_values import Color, Keyword, OwnPath, Paragraph, WebUrl


class Service(NumberedRow):
    __tablename__ = "services"
    kind = "service"

    name: Mapped[str] = mapped_column(String(120))
    description: Mapped[str | None] = mapped_column(String(2000))
    path: Mapped[str | None] = mapped_column(String(200))
    template: Mapped[str | None] = mapped_column(String(40))
    primary_color: Mapped[str | None] = mapped_column(String(7))
    logo_url: Mapped[str | None] = mapped_column(String(2048))
    logo_alt: Mapped[str | None] = mapped_column(String(120))
    qr_code_url: Mapped[str | None] = mapped_column(String(2048))
    qr_code_alt: Mapped[str | None] = mapped_column(String(120))


class ServiceFields(NumberedFields):
    """The whole service: a field that is left out is empty afterwards."""

    name: Nombre = Field(examples=["Ambulancias San Luis"])
    description: Paragraph | None = Field(None, examples=["Traslados las 24 horas."])
    path: OwnPath | None = Field(None, description="Where it stands on the site.", examples=["/ambulancias"])
    template: Keyword | None = Field(None, description="The name of its look.", examples=["general"])
    primary_color: Color | None = Field(None, examples=["#b3261e"])
    logo_url: WebUrl | None = Field(None, examples=["https://ejemplo.com/logo.svg"])
    logo_alt: Nombre | None = Field(None, examples=["Ambulancias San Luis"])
    qr_code_url: WebUrl | None = Field(None, examples=["https://ejemplo.com/qr.svg"])
    qr_code_alt: Nombre | None = Field(None, examples=["QR de Ambulancias San Luis"])
    is_active: bool = Field(True, description="Only active ones are shown to the public.")


def put_service(tx: Transaction, name: str, fields: ServiceFields, actor: Actor, now: datetime) -> tuple[Service, bool]:
    """Makes or replaces it; says whether it is new. Raises what `put_row` raises."""
    row, is_new = put_row(tx, Service, name, fields, actor, now)
    follow_url(tx, row.id, row.logo_url)
    return row, is_new


def active_service(tx: Transaction, name: str) -> Service:
    """Raises NotFound, also for one that is not active."""
    found = row_named(tx, Service, name)
    if found is None or not found.is_active:
        raise NotFound
    return found


def services(tx: Transaction, *, after: int, limit: int, only_active: bool, search: str = "") -> Sequence[Service]:
    """By number, above `after`; with `search`, those with these letters in the name or the external_id."""
    query = select(Service).where(Service.id > after)
    if search:
        query = query.where(has_letters(search, Service.name, Service.external_id))
    if only_active:
        query = query.where(Service.is_active)
    return tx.orm.scalars(query.order_by(Service.id).limit(limit)).all()
