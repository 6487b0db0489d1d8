"""The OpenAPI document, as clients and tools read it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ficha.asgi.routes import Routes
from ficha.web.kit.small_pages.compression import compress, gzip_accepted

routes = Routes(include_in_schema=False)


@routes.page("/openapi.json")
def openapi_document(request: Request) -> Response:
    """Written once as it is and once compressed: a megabyte, which anybody may ask for again and again."""
    state = request.app.state
    if not hasattr(state, "openapi_documents"):
        state.openapi_documents = {}
    documents: dict[bool, Response] = state.openapi_documents
    is_compressed = gzip_accepted(request.headers.get("accept-encoding", ""))
    if is_compressed not in documents:
        document = JSONResponse(request.app.openapi(), headers={"Vary": "Accept-Encoding"})
        if is_compressed:
            compress(document)
        documents[is_compressed] = document
    return documents[is_compressed]
