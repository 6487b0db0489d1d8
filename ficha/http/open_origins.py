"""Paths that scripts of any origin may call: those of protocols that others defined, where no cookie of ours counts."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

OPEN_STARTS = ("/shl/",)


class OpenOrigins:
    """Of these paths every origin may read every answer, errors too, and none may send cookies along."""

    def __init__(self, app: ASGIApp, starts: Sequence[str] = OPEN_STARTS) -> None:
        self._app, self._starts = app, tuple(starts)
        self._open = CORSMiddleware(
            app, allow_origins=["*"], allow_methods=["GET", "POST"], allow_headers=["*"], expose_headers=["Retry-After"]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_open = scope["type"] == "http" and scope["path"].startswith(self._starts)
        await (self._open if is_open else self._app)(scope, receive, send)
