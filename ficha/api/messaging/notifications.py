"""What the platform told us and we did not understand, or that was not for us."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime, Field

from ficha.accounts.tokens import MAX_ID
from ficha.api.examples import listing_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.cursors import Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Reading, Reply, Staff
from ficha.http.envelope import Listing, Moment, Resource
from ficha.messaging.notifications import NotificationState, kept_notifications, state_of_notification
from ficha.messaging.tables import Notification

operations = Operations("messaging", prefix="/notifications")


class NotificationAttributes(DeferredModel):
    kind: str | None = Field(
        description="What was not understood: a field of the platform, `unreadable`, `failed`, or `foreign`: "
        "of a number or account that is not ours."
    )
    state: NotificationState
    received_at: Moment
    processed_at: Moment | None
    unreadable: int = Field(description="How many of its items could not be read.")
    is_test: bool


NotificationOut = Resource[NotificationAttributes]
EXAMPLE = {
    "type": "notification",
    "id": 12,
    "attributes": {
        "kind": "foreign",
        "state": "kept",
        "received_at": "2026-11-15T12:00:00+00:00",
        "processed_at": "2026-11-15T12:00:01+00:00",
        "unreadable": 0,
        "is_test": False,
    },
}


@operations.get("", "Notifications", door="staff", seed=None, errors=(422,), example=listing_example([EXAMPLE]))
def list_notifications(
    reading: Reading,
    _staff: Staff,
    reply: Reply,
    kind: Annotated[str | None, Query(max_length=40, description="Only of this kind.")] = None,
    state: Annotated[NotificationState | None, Query(description="Only in this state.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only those that came then or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Only those that came before.")] = None,
    cursor: Cursor = None,
    size: PageSize = 50,
) -> "Listing[NotificationOut]":
    """Newest first: those that were kept and not understood, or with `state=waiting` those not processed yet. What they
    say stays sealed."""
    found = kept_notifications(
        reading,
        before=row_before(cursor, MAX_ID),
        limit=size + 1,
        kind=kind,
        state=state,
        since=since,
        until=until,
    )
    following = next_cursor(found, size, lambda notification: notification.id)
    return reply.listing([_out(each) for each in found[:size]], size, following)


def _out(found: Notification) -> NotificationOut:
    processed: datetime | None = found.processed_at
    return Resource(
        type="notification",
        id=found.id,
        attributes=NotificationAttributes(
            kind=found.kind,
            state=state_of_notification(found),
            received_at=found.received_at,
            processed_at=processed,
            unreadable=found.unreadable,
            is_test=found.is_test,
        ),
    )
