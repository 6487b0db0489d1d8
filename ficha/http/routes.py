"""Where operations and pages are declared. Each route is built once, when a request first matches its path.

FastAPI's own router builds every route where it is defined and again where it is included, whether anybody asks for it
or not: a sixth of a start (docs/decisions/0014-routes.md).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

Endpoint = Callable[..., Any]
E = TypeVar("E", bound=Endpoint)
# Reading a member of an enumeration takes about as long as matching a path, and a request tries a hundred of them.
NO_MATCH = Match.NONE


class DeclaredRoute(NamedTuple):
    path: str
    endpoint: Endpoint
    arguments: dict[str, Any]


class Routes:
    """A list of routes. `shared` are arguments of FastAPI's route that hold for all of them."""

    def __init__(self, prefix: str = "", *, route_class: type[APIRoute] = APIRoute, **shared: Any) -> None:
        self._prefix, self._class, self._shared = prefix, route_class, shared
        self._declared: list[DeclaredRoute] = []
        self._joined: dict[str, list[LazyRoute]] = {}

    def api_route(self, path: str, *, methods: list[str], **arguments: Any) -> Callable[[E], E]:
        def declare(endpoint: E) -> E:
            self._declared.append(DeclaredRoute(self._prefix + path, endpoint, {"methods": methods, **arguments}))
            return endpoint

        return declare

    def get(self, path: str, **arguments: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["GET"], **arguments)

    def page(self, path: str, **arguments: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["GET", "HEAD"], **arguments)

    def post(self, path: str, **arguments: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["POST"], **arguments)

    def join(self, app: FastAPI, prefix: str = "") -> None:
        """Adds the routes to the application, under the prefix. A route knows nothing of its application: another one
        in this process, as in the tests, gets the same routes, built already."""
        routes = self._joined.setdefault(prefix, [])
        for path, endpoint, arguments in self._declared[len(routes) :]:
            together = self._shared | arguments
            if "dependencies" in self._shared and "dependencies" in arguments:
                together["dependencies"] = [*self._shared["dependencies"], *arguments["dependencies"]]
            routes.append(LazyRoute(self._class, prefix + path, endpoint, together))
        app.router.routes.extend(routes)


class LazyRoute(BaseRoute):
    """Builds FastAPI's route when a path first matches; that takes one to two milliseconds."""

    def __init__(self, route_class: type[APIRoute], path: str, endpoint: Endpoint, arguments: dict[str, Any]) -> None:
        self.path = path
        self._build = partial(route_class, path, endpoint, **arguments)
        self._match_path = Route(path, endpoint).path_regex.match

    @cached_property
    def built(self) -> APIRoute:
        return self._build()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or not self._match_path(path_below_root(scope)):
            return NO_MATCH, {}
        return self.built.matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.built.handle(scope, receive, send)


def path_below_root(scope: Scope) -> str:
    """The request's path without the `root_path` of a mounted application, which ASGI leaves in it."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def built_routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """The same routes, all of them built."""
    return (route.built if isinstance(route, LazyRoute) else route for route in routes)
