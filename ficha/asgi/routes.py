"""Where operations and pages are declared, and how a request finds its own.

A route is Starlette's. FastAPI only describes it: its route is built when OpenAPI is asked for (decision 14).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeVar

from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from ficha.asgi.application import MethodNotAllowed
from ficha.asgi.served import Served
from ficha.asgi.threads import Pool
from ficha.core.errors import FichaError

Endpoint = Callable[..., Any]
E = TypeVar("E", bound=Endpoint)
# Reading a member of an enumeration takes as long as matching a path.
NO_MATCH, OTHER_METHOD, MATCH = Match.NONE, Match.PARTIAL, Match.FULL


class NamedRoute(Protocol):
    """What answers a request, as logs and metrics name it: the request's own path may hold a code."""

    path: str
    # Whether its everyday answers are worth no line in the log.
    is_quiet: bool


class DeclaredRoute(NamedTuple):
    """`in_lane`: another application in front answers it, and this only describes it; what that leaves is refused with
    this error. `headers` are of all its answers."""

    path: str
    endpoint: Endpoint
    pool: Pool
    takes_files: bool
    in_lane: type[FichaError] | None
    headers: Sequence[tuple[bytes, bytes]]
    arguments: dict[str, Any]


class Routes:
    """A list of routes. `pool` are the threads of those that name no other; `shared` are arguments of FastAPI's route
    that hold for all of them."""

    def __init__(
        self, prefix: str = "", *, served: type[Served] = Served, pool: Pool = Pool.REQUESTS, **shared: Any
    ) -> None:
        self._prefix, self._served, self._pool, self._shared = prefix, served, pool, shared
        self._declared: list[DeclaredRoute] = []
        self._made: dict[str, list[ServedRoute]] = {}

    def api_route(
        self,
        path: str,
        *,
        methods: list[str],
        pool: Pool | None = None,
        takes_files: bool = False,
        in_lane: type[FichaError] | None = None,
        headers: Sequence[tuple[bytes, bytes]] = (),
        **arguments: Any,
    ) -> Callable[[E], E]:
        def declare(endpoint: E) -> E:
            arguments["methods"] = methods
            where = self._prefix + path
            threads = pool or self._pool
            self._declared.append(DeclaredRoute(where, endpoint, threads, takes_files, in_lane, headers, arguments))
            return endpoint

        return declare

    def get(self, path: str, **arguments: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["GET"], **arguments)

    def page(self, path: str, **arguments: Any) -> Callable[[E], E]:
        return self.get(path, **arguments)

    def post(self, path: str, **arguments: Any) -> Callable[[E], E]:
        return self.api_route(path, methods=["POST"], **arguments)

    def under(self, prefix: str = "") -> "list[ServedRoute]":
        """The routes with this before their paths. They know nothing of their application: another one in this
        process, as in the tests, gets the same, with the plans made so far."""
        made = self._made.setdefault(prefix, [])
        for declared in self._declared[len(made) :]:
            own = declared.arguments
            together = self._shared | own
            if "dependencies" in self._shared and "dependencies" in own:
                together["dependencies"] = [*self._shared["dependencies"], *own["dependencies"]]
            made.append(ServedRoute(self._served, declared._replace(path=prefix + declared.path, arguments=together)))
        return list(made)


class ServedRoute(Route):
    """A path and its methods. `described` is FastAPI's route for the same function."""

    is_quiet = False

    def __init__(self, served: type[Served], declared: DeclaredRoute) -> None:
        path, function, pool, takes_files, in_lane, headers, arguments = declared
        self.served = served(
            path,
            function,
            pool=pool,
            takes_files=takes_files,
            in_lane=in_lane,
            status=arguments.get("status_code") or 200,
            dependencies=arguments.get("dependencies", ()),
            promised=arguments.get("response_model"),
            headers=headers,
        )
        self._arguments = arguments
        # Starlette adds HEAD to every GET.
        super().__init__(path, self.served, methods=arguments["methods"], name=function.__name__)

    @property
    def described(self) -> APIRoute:
        return APIRoute(self.path, self.served.function, **self._arguments)


class RouteGroup(BaseRoute):
    """Routes whose paths begin with one of `starts`: those of other groups are not tried. Of two routes that match a
    path the first answers, as everywhere in Starlette.

    `load` gives the routes when such a path is first asked for, which takes up to 0.1 s. What a stranger or an alert
    needs is given as it is, without `starts`."""

    def __init__(self, load: Callable[[], Iterable[ServedRoute]], starts: Sequence[str] = ()) -> None:
        self._load = load
        self.starts = tuple(starts or {route.path.partition("{")[0] for route in self.routes})

    @cached_property
    def routes(self) -> list[ServedRoute]:
        return list(self._load())

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or not path_below_root(scope).startswith(self.starts):
            return NO_MATCH, {}
        other: tuple[Match, Scope] = NO_MATCH, {}
        for route in self.routes:
            match, child = route.matches(scope)
            if match is MATCH:
                return MATCH, {**child, "route": route}
            if match is OTHER_METHOD and other[0] is NO_MATCH:
                other = OTHER_METHOD, {**child, "route": route}
        return other

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises MethodNotAllowed."""
        route: ServedRoute = scope["route"]
        if scope["method"] not in (route.methods or ()):
            raise MethodNotAllowed(", ".join(sorted(_methods_at(scope))))
        await route.app(scope, receive, send)


def _methods_at(scope: Scope) -> set[str]:
    """Those of all routes with this path: each of them has its own."""
    path = path_below_root(scope)
    groups = (group for group in scope["app"].routes if isinstance(group, RouteGroup) and path.startswith(group.starts))
    return {
        method
        for group in groups
        for route in group.routes
        if route.matches(scope)[0] is not NO_MATCH
        for method in route.methods or ()
    }


def served_routes(routes: Iterable[BaseRoute]) -> Iterator[ServedRoute]:
    """Those of all groups, loaded."""
    for group in routes:
        if isinstance(group, RouteGroup):
            yield from group.routes


def matched_route(scope: Scope) -> NamedRoute | None:
    """The route that answers this request."""
    route: NamedRoute | None = scope.get("route")
    return route


def path_below_root(scope: Scope) -> str:
    """The request's path without the `root_path` of a mounted application, which ASGI leaves in it."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path
