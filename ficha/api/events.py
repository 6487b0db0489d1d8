"""The event stream."""

from fastapi import APIRouter

from ficha.api.catalog import about
from ficha.http.route import Operation
from ficha.http.streams import events
from ficha.http.streams.answer import EventStream

router = APIRouter(route_class=Operation)
EXAMPLE = 'id: 759-12\nevent: emergency.opened\ndata: {"at":"2026-11-15T12:00:00+00:00","id":7,"state":"open"}\n\n'

described = about("Events", errors=(404, 422, 503))
described["responses"][200] = {"content": {"text/event-stream": {"example": EXAMPLE}}}
router.get("/events", response_class=EventStream, **described)(events)
router.head("/events", include_in_schema=False)(events)
