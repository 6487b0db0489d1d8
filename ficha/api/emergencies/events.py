"""The event stream."""

from ficha.api.catalog import about
from ficha.http.route import Operation
from ficha.http.routes import Routes
from ficha.http.streams import events
from ficha.http.streams.event_stream import EventStream

routes = Routes(route_class=Operation)
EXAMPLE = 'id: 759-12\nevent: emergency.opened\ndata: {"at":"2026-11-15T12:00:00+00:00","id":7,"state":"open"}\n\n'

described = about("Events", errors=(404, 422, 503))
described["responses"][200] = {"content": {"text/event-stream": {"example": EXAMPLE}}}
routes.get("/events", response_class=EventStream, **described)(events)
routes.api_route("/events", methods=["HEAD"], include_in_schema=False)(events)
