"""Pages behind a link that was sent: its address is a secret, and the page of one that was used or is too old says so.

They carry no CSRF token on purpose: no cookie gives them any power, the secret in the link does.
"""

from typing import Any

from starlette.responses import Response

from ficha.asgi.bodies import ReadRequest
from ficha.asgi.routes import Routes
from ficha.asgi.served import Served
from ficha.core.errors import FichaError
from ficha.web.kit.language import Phrases
from ficha.web.kit.rendering import show

# The address goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


def link_routes(dead: str, phrases: Phrases, *ended: type[FichaError], **shared: Any) -> Routes:
    """`dead` is the template of the page that is shown where a function raises one of `ended`. The secret is the
    `token` of the path; a path without it is an ordinary page that anybody may open, to ask for a link."""

    class ServedByLink(Served):
        def call(self, request: ReadRequest) -> Response:
            try:
                response = super().call(request)
            except ended:
                response = show(request, dead, phrases, status=410)
            if "token" in request.path_params:
                response.headers.update(KEEP_SECRET)
            return response

    return Routes(served=ServedByLink, include_in_schema=False, **shared)
