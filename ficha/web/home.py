"""The front page: what this is, and where to go."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ficha.http.deps import Parts
from ficha.web.phrases import home
from ficha.web.rendering import show

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
def front_page(request: Request, parts: Parts) -> Response:
    return show(request, "home.html", home.PHRASES, in_production=parts.settings.in_production)
