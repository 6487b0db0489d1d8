"""The service worker that shows notifications. Its address stays the same: browsers look there for a new version."""

from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.web.kit.assets import assets

routes = Routes(include_in_schema=False)


@routes.page("/push-worker.js")
def push_worker() -> Response:
    return assets()["push-worker.js"].response("no-cache")
