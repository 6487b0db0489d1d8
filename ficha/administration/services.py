"""Services: what an institution or partner offers, with its looks, as the pages and apps show it."""

from datetime import datetime
from functools import partial

from pydantic import Field
from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.resources import (
    DeclaredResource,
    NumberedFields,
    NumberedRow,
    put_row,
    row_named,
    rows_by_number,
)
from ficha.administration.service_logos import follow_url
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.core.text_types import Color, Keyword, Nombre, OwnPath, Paragraph, WebUrl
from ficha.core.transaction import Transaction


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


SERVICES = DeclaredResource(
    Service,
    ServiceFields,
    key="external_id",
    title="name",
    columns=("id", "name", "external_id", "path", "is_active"),
    form={
        "external_id": "code",
        "name": "text",
        "description": "paragraph",
        "path": "code",
        "template": "text",
        "primary_color": "text",
        "logo_url": "text",
        "logo_alt": "text",
        "qr_code_url": "text",
        "qr_code_alt": "text",
        "is_active": "checkbox",
    },
    find=lambda tx, name: row_named(tx, Service, name),
    rows=partial(rows_by_number, Service, (Service.name, Service.external_id)),
    put=put_service,
)
