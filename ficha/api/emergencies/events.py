"""The event stream."""

from ficha.api.operations import Operations
from ficha.http.streams import events
from ficha.http.streams.event_stream import EventStream

operations = Operations("emergencies")
EXAMPLE = 'id: 759-12\nevent: emergency.opened\ndata: {"at":"2026-11-15T12:00:00+00:00","id":7,"state":"open"}\n\n'

operations.get(
    "/events",
    "Events",
    door="bearer",
    seed="Events",
    errors=(404, 422, 503),
    responses={200: {"content": {"text/event-stream": {"example": EXAMPLE}}}},
    response_class=EventStream,
)(events)
operations.undescribed("HEAD", "/events")(events)
