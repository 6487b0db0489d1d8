"""The OpenAPI document, as clients and tools read it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ficha.http.routes import Routes

routes = Routes(include_in_schema=False)


@routes.page("/openapi.json")
def openapi_document(request: Request) -> Response:
    return JSONResponse(request.app.openapi())
