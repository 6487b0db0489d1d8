"""Services: public reads of the active ones, and making or replacing one."""

from dataclasses import replace
from typing import Annotated

from fastapi import Path, Response

from ficha.administration.numbered_rows import row_values
from ficha.administration.services import Service, ServiceFields, active_service, put_service, services
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.audit.log import Actor
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import GOOD_TITLES
from ficha.http.cacheable import NOT_MODIFIED, IfNoneMatch, cacheable
from ficha.http.cursors import Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Admin, Db, Now, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource

operations = Operations("administration", prefix="/services")

Name = Annotated[str, Path(alias="service", description="Its id or its external_id.", examples=["ambulancias"])]


class ServiceAttributes(DeferredModel):
    id: int
    external_id: str | None
    name: str
    description: str | None
    path: str | None
    template: str | None
    primary_color: str | None
    logo_url: str | None
    logo_alt: str | None
    qr_code_url: str | None
    qr_code_alt: str | None
    is_active: bool


ServiceOut = Resource[ServiceAttributes]
EXAMPLE = {
    "type": "service",
    "id": 1,
    "attributes": {
        "id": 1,
        "external_id": "ambulancias",
        "name": "Ambulancias San Luis",
        "description": "Traslados las 24 horas.",
        "path": "/ambulancias",
        "template": "general",
        "primary_color": "#b3261e",
        "logo_url": "https://ejemplo.com/logo.svg",
        "logo_alt": "Ambulancias San Luis",
        "qr_code_url": "https://ejemplo.com/qr.svg",
        "qr_code_alt": "QR de Ambulancias San Luis",
        "is_active": True,
    },
}


@operations.put(
    "/{service}",
    "Put service",
    door="admin",
    seed="Put service",
    errors=(409, 415, 422),
    example=answer_example(EXAMPLE),
    responses={
        201: {
            "description": GOOD_TITLES[201],
            "content": {"application/json": {"example": answer_example(EXAMPLE, 201)}},
        }
    },
)
def put(
    db: Db, caller: Admin, now: Now, reply: Reply, response: Response, service: Name, body: ServiceFields
) -> "Answer[ServiceOut]":
    """Makes the service (201) or replaces all of it (200). The same again changes nothing. What is changed is noted,
    with what it was before."""
    row, is_new = put_service(db, service, body, Actor("account", caller.account_id), now)
    if is_new:
        response.status_code = 201
        reply = replace(reply, status=201)
    return reply(_service_out(row))


@operations.get(
    "",
    "Services",
    door="public",
    seed="Services",
    errors=(422,),
    example=listing_example([EXAMPLE]),
    responses=NOT_MODIFIED,
    response_model=Listing[ServiceOut],
)
def list_services(
    reading: Reading, reply: Reply, if_none_match: IfNoneMatch = None, cursor: Cursor = None, size: PageSize = 50
) -> Response:
    """The active ones, by their number."""
    found = services(reading, after=row_before(cursor, 0), limit=size + 1, only_active=True)
    following = next_cursor(found, size, lambda row: row.id)
    return cacheable(reply.listing([_service_out(row) for row in found[:size]], size, following), if_none_match)


@operations.get(
    "/{service}",
    "Service",
    door="public",
    errors=(404, 422),
    example=answer_example(EXAMPLE),
    responses=NOT_MODIFIED,
    response_model=Answer[ServiceOut],
)
def one_service(reading: Reading, reply: Reply, service: Name, if_none_match: IfNoneMatch = None) -> Response:
    """One that is active."""
    return cacheable(reply(_service_out(active_service(reading, service))), if_none_match)


def _service_out(row: Service) -> ServiceOut:
    return Resource(type="service", id=row.id, attributes=ServiceAttributes(**row_values(row)))
