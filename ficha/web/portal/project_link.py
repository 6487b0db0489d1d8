"""The signed link of a project: it leads to the address that the project has, whatever else the caller sends."""

from typing import Annotated

from fastapi import Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ficha.administration.projects import follow_link
from ficha.asgi.routes import Routes
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit

routes = Routes(include_in_schema=False)


@routes.page("/p/{project}")
def follow(
    request: Request,
    parts: Parts,
    limiter: Limiter,
    address: Address,
    now: Now,
    project: str,
    expires: Annotated[str, Query(max_length=12)] = "",
    signature: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    limiter.hit_address(request, RateLimit.LINK, address)
    with parts.database.reading() as tx:
        url = follow_link(tx, parts.secrets, project, expires, signature, now)
    # The link is a secret for as long as it lasts: the other site does not learn it.
    return RedirectResponse(url, 303, headers={"Referrer-Policy": "no-referrer"})
