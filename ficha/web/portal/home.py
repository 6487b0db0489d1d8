"""The front page: what this is, and where to go."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.http.dependencies import Parts
from ficha.http.routes import Routes
from ficha.web.kit.rendering import show
from ficha.web.portal import home_phrases

routes = Routes(include_in_schema=False)


@routes.page("/")
def front_page(request: Request, parts: Parts) -> Response:
    return show(request, "portal/home.html", home_phrases.PHRASES, in_production=parts.settings.in_production)
