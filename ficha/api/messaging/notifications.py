"""What the platform told us and we did not understand, or that was not for us."""

from typing import Annotated

from fastapi import Query
from pydantic import AwareDatetime, Field

from ficha.accounts.tokens import MAX_ID
from ficha.api.examples import listing_example, resource_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.dependencies import Page, Reading, Staff
from ficha.http.envelope import Listing, Moment, Resource, filled
from ficha.messaging.kept_notifications import NotificationState, kept_notifications, state_of
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
EXAMPLE = resource_example(
    "notification",
    12,
    NotificationAttributes,
    kind="foreign",
    state="kept",
    processed_at="2026-11-15T12:00:01+00:00",
    unreadable=0,
)


@operations.get("", "Notifications", door="staff", errors=(422,), example=listing_example([EXAMPLE]))
def list_notifications(
    reading: Reading,
    _staff: Staff,
    page: Page,
    kind: Annotated[str | None, Query(max_length=40, description="Only of this kind.")] = None,
    state: Annotated[NotificationState | None, Query(description="Only in this state.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Only those that came then or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Only those that came before.")] = None,
) -> "Listing[NotificationOut]":
    """Newest first: those that were kept and not understood, or with `state=waiting` those not processed yet. What they
    say stays sealed."""
    before = page.start(MAX_ID)
    found = kept_notifications(
        reading, before=before, limit=page.limit, kind=kind, state=state, since=since, until=until
    )
    return page.answer(found, _out, lambda notification: notification.id)


def _out(found: Notification) -> NotificationOut:
    shown = filled(NotificationAttributes, found, state=state_of(found))
    return Resource(type="notification", id=found.id, attributes=shown)
