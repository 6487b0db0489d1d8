"""Services: public reads of the active ones, and making or replacing one."""

from fastapi import Response

from ficha.administration.services import SERVICES, active_service
from ficha.api.administration.resources import ResourceOperations
from ficha.api.examples import listing_example
from ficha.api.operations import Operations
from ficha.http.cursors import Cursor, PageSize, row_before
from ficha.http.dependencies import Reading, Reply
from ficha.http.etags import NOT_MODIFIED, IfNoneMatch, cacheable

operations = Operations("administration", prefix="/services")
resource = ResourceOperations(SERVICES, "service", "ambulancias")

resource.declare_put(operations, seed="Put service")


@operations.get(
    "",
    "Services",
    door="public",
    seed="Services",
    errors=(422,),
    example=listing_example([resource.example]),
    responses=NOT_MODIFIED,
    response_model=resource.listing,
)
def list_services(
    reading: Reading, reply: Reply, if_none_match: IfNoneMatch = None, cursor: Cursor = None, size: PageSize = 50
) -> Response:
    """The active ones, by their number."""
    found = SERVICES.rows(reading, after=row_before(cursor, 0), limit=size + 1, only_active=True)
    return cacheable(resource.listing_out(reply, found, size), if_none_match)


resource.declare_public_read(operations, active_service)
