"""Navigation buttons: public reads of the active ones, and making or replacing one."""

from dataclasses import replace
from typing import Annotated

from fastapi import Path, Query, Response

from ficha.administration.navigation_buttons import (
    NavigationButton,
    NavigationButtonFields,
    active_navigation_button,
    navigation_buttons,
    place_of,
    put_navigation_button,
)
from ficha.administration.numbered_rows import LARGEST, row_values
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.audit.log import Actor
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import GOOD_TITLES
from ficha.http.cacheable import NOT_MODIFIED, IfNoneMatch, cacheable
from ficha.http.cursors import Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Admin, Db, Now, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource

operations = Operations("administration", prefix="/navigation-buttons")

Name = Annotated[
    str, Path(alias="navigation_button", description="Its id or its external_id.", examples=["pedir-ambulancia"])
]


class NavigationButtonAttributes(DeferredModel):
    id: int
    external_id: str | None
    service_id: int | None
    label: str
    icon: str | None
    url: str
    position: int
    color: str | None
    is_active: bool


ButtonOut = Resource[NavigationButtonAttributes]
EXAMPLE = {
    "type": "navigation_button",
    "id": 1,
    "attributes": {
        "id": 1,
        "external_id": "pedir-ambulancia",
        "service_id": None,
        "label": "Pedir una ambulancia",
        "icon": "ambulance",
        "url": "https://ejemplo.com/ambulancia",
        "position": 0,
        "color": "#b3261e",
        "is_active": True,
    },
}


@operations.put(
    "/{navigation_button}",
    "Put navigation button",
    door="admin",
    seed="Put navigation button",
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
    db: Db,
    caller: Admin,
    now: Now,
    reply: Reply,
    response: Response,
    navigation_button: Name,
    body: NavigationButtonFields,
) -> "Answer[ButtonOut]":
    """Makes the button (201) or replaces all of it (200). The same again changes nothing. What is changed is noted,
    with what it was before."""
    row, is_new = put_navigation_button(db, navigation_button, body, Actor("account", caller.account_id), now)
    if is_new:
        response.status_code = 201
        reply = replace(reply, status=201)
    return reply(_button_out(row))


@operations.get(
    "",
    "Navigation Buttons",
    door="public",
    seed="Navigation Buttons",
    errors=(422,),
    example=listing_example([EXAMPLE]),
    responses=NOT_MODIFIED,
    response_model=Listing[ButtonOut],
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
    found = navigation_buttons(
        reading, after=row_before(cursor, 0), limit=size + 1, only_active=True, service_id=service_id
    )
    following = next_cursor(found, size, place_of)
    return cacheable(reply.listing([_button_out(row) for row in found[:size]], size, following), if_none_match)


@operations.get(
    "/{navigation_button}",
    "Navigation button",
    door="public",
    errors=(404, 422),
    example=answer_example(EXAMPLE),
    responses=NOT_MODIFIED,
    response_model=Answer[ButtonOut],
)
def one_button(reading: Reading, reply: Reply, navigation_button: Name, if_none_match: IfNoneMatch = None) -> Response:
    """One that is active."""
    return cacheable(reply(_button_out(active_navigation_button(reading, navigation_button))), if_none_match)


def _button_out(row: NavigationButton) -> ButtonOut:
    return Resource(type="navigation_button", id=row.id, attributes=NavigationButtonAttributes(**row_values(row)))
