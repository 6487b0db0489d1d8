"""What was signed of the log, for whoever wants to keep a copy: we cannot take back what others hold."""

from starlette.responses import JSONResponse, Response

from ficha.asgi.routes import Routes
from ficha.audit.anchors import AnchorKey, newest_anchors
from ficha.http.dependencies import Parts

routes = Routes(include_in_schema=False)

ANCHORS = "/.well-known/ficha-log.json"
# Four days of them; each names the one before, so that the newest vouches for all.
PUBLISHED = 100


@routes.page(ANCHORS)
def anchors(parts: Parts) -> Response:
    """Numbers, times, hashes and signatures: nothing about a record."""
    with parts.database.reading() as tx:
        newest = newest_anchors(tx, PUBLISHED)
    content = {"keys": [AnchorKey(parts.secrets).jwk()], "anchors": [anchor.as_json() for anchor in newest]}
    return JSONResponse(content, headers={"Cache-Control": "public, max-age=600"})
