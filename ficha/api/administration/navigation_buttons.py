"""Navigation buttons: public reads of the active ones, and making or replacing one."""

from typing import Annotated

from fastapi import Query, Response

from ficha.administration.navigation_buttons import BUTTONS, active_navigation_button, navigation_buttons
from ficha.administration.numbered_rows import LARGEST
from ficha.api.administration.resources import ResourceOperations
from ficha.api.examples import listing_example
from ficha.api.operations import Operations
from ficha.http.cursors import Cursor, PageSize, row_before
from ficha.http.dependencies import Reading, Reply
from ficha.http.etags import NOT_MODIFIED, IfNoneMatch, cacheable

operations = Operations("administration", prefix="/navigation-buttons")
resource = ResourceOperations(BUTTONS, "button", "pedir-ambulancia")

resource.declare_put(operations, seed="Put navigation button")


@operations.get(
    "",
    "Navigation Buttons",
    door="public",
    seed="Navigation Buttons",
    errors=(422,),
    example=listing_example([resource.example]),
    responses=NOT_MODIFIED,
    response_model=resource.listing,
)
def list_buttons(
    reading: Reading,
    reply: Reply,
    service_id: Annotated[int | None, Query(ge=1, le=LARGEST, description="Only those of this service.")] = None,
    if_none_match: IfNoneMatch = None,
    cursor: Cursor = None,
    size: PageSize = 50,
) -> Response:
    """The active ones of active services, and those of none, by position."""
    after = row_before(cursor, 0)
    found = navigation_buttons(reading, after=after, limit=size + 1, only_active=True, service_id=service_id)
    return cacheable(resource.listing_out(reply, found, size), if_none_match)


resource.declare_public_read(operations, active_navigation_button)
