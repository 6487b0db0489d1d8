"""The application: FastAPI, which describes our operations, with a short way for the requests that they serve."""

from typing import Any

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from ficha.http.routes import MATCH, MATCHED, table_of


class Application(FastAPI):
    """Whatever has a route of ours goes straight to it: FastAPI's own layers (telemetry, exit stacks, a second table of
    routes) would find nothing to do, and take as long as a statement. All else goes through them."""

    def __init__(self, **described: Any) -> None:
        super().__init__(**described)
        self.front: ASGIApp = self.go_to_route

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["app"] = self
        await self.front(scope, receive, send)

    async def go_to_route(self, scope: Scope, receive: Receive, send: Send) -> None:
        match, found = table_of(self).matches(scope)
        if match is MATCH:
            scope.update(found)
            await scope[MATCHED].served(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)
