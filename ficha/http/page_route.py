"""How every page runs: its form is read first, then it takes a request slot, so that a slow phone holds none."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ficha.http.threads import request_slot

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def run(request: Request) -> Response:
            try:
                await request.body()
            except ClientDisconnect:
                return Response(status_code=400)  # Nobody is left to read it.
            async with request_slot():
                return await handle(request)

        return run
