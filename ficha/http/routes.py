"""Where operations and pages are written down. Each is built once, when it is first asked for.

FastAPI's own router builds every route twice, where it is defined and where it is included, whether anybody asks for
it or not: together a quarter of a start.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any, TypeVar

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette._utils import get_route_path
from starlette.routing import BaseRoute, Match, compile_path
from starlette.types import Receive, Scope, Send

Endpoint = Callable[..., Any]
E = TypeVar("E", bound=Endpoint)


class Routes:
    """`shared` is said of every route in it, as FastAPI's routes take it."""

    def __init__(self, prefix: str = "", *, route_class: type[APIRoute] = APIRoute, **shared: Any) -> None:
        self._prefix, self._class, self._shared = prefix, route_class, shared
        self._written: list[tuple[str, Endpoint, dict[str, Any]]] = []

    def api_route(self, path: str, *, methods: list[str], **about: Any) -> Callable[[E], E]:
        def write(endpoint: E) -> E:
            self._written.append((self._prefix + path, endpoint, {"methods": methods, **about}))
            return endpoint

        return write

    def get(self, path: str, **about: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["GET"], **about)

    def page(self, path: str, **about: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["GET", "HEAD"], **about)

    def post(self, path: str, **about: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["POST"], **about)

    def put(self, path: str, **about: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["PUT"], **about)

    def patch(self, path: str, **about: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["PATCH"], **about)

    def delete(self, path: str, **about: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["DELETE"], **about)

    def join(self, app: FastAPI, prefix: str = "") -> None:
        for path, endpoint, about in self._written:
            together = self._shared | about
            if "dependencies" in self._shared and "dependencies" in about:
                together["dependencies"] = [*self._shared["dependencies"], *about["dependencies"]]
            app.router.routes.append(Written(self._class, prefix + path, endpoint, together))


class Written(BaseRoute):
    """A route that is built when a path first fits it: one to two milliseconds, once."""

    def __init__(self, route_class: type[APIRoute], path: str, endpoint: Endpoint, about: dict[str, Any]) -> None:
        self.path = path
        self._build = partial(route_class, path, endpoint, **about)
        self._fits = compile_path(path)[0].match

    @cached_property
    def built(self) -> APIRoute:
        return self._build()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or not self._fits(get_route_path(scope)):
            return Match.NONE, {}
        return self.built.matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.built.handle(scope, receive, send)


def built(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """All of them, for whoever must know what they are."""
    return (route.built if isinstance(route, Written) else route for route in routes)
