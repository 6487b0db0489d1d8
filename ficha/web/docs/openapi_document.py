"""The OpenAPI document, as clients and tools read it, and how long what was made of it is served."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TypeVar, cast

from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.answers import JSON
from ficha.asgi.routes import Routes
from ficha.http.dependencies import Parts
from ficha.http.etags import CACHE_CONTROL, Caching
from ficha.http.openapi import dated_document

routes = Routes(include_in_schema=False)

# Half of what the shortest-lived address in an example lives.
SERVED_FOR = timedelta(minutes=5)
Made = TypeVar("Made")


@routes.page("/openapi.json")
def openapi_document(request: Request, parts: Parts, caching: Caching) -> Response:
    """A megabyte, which anybody may ask for again and again."""
    now = parts.clock.now()
    content = kept(request.app.state, "openapi_json", now, lambda: dated_document(request.app.openapi(), now).encode())
    return caching.file(content, JSON, CACHE_CONTROL)


def kept(state: State, name: str, now: datetime, make: Callable[[], Made]) -> Made:
    """What was made a moment ago, or is made now: it takes long, and shows dates that a reader uses."""
    until, made = getattr(state, name, (now, None))
    if until <= now:
        made = make()
        setattr(state, name, (now + SERVED_FOR, made))
    return cast(Made, made)
