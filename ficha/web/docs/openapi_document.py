"""The OpenAPI document, as clients and tools read it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ficha.asgi.answers import JSON
from ficha.asgi.routes import Routes
from ficha.http.etags import CACHE_CONTROL, Caching

routes = Routes(include_in_schema=False)


@routes.page("/openapi.json")
def openapi_document(request: Request, caching: Caching) -> Response:
    """Written once: a megabyte, which anybody may ask for again and again."""
    state = request.app.state
    if not hasattr(state, "openapi_json"):
        state.openapi_json = bytes(JSONResponse(request.app.openapi()).body)
    return caching.file(state.openapi_json, JSON, CACHE_CONTROL)
