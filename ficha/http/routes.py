"""Where operations and pages are declared, and how a request finds its own.

FastAPI only describes them: its route is built when OpenAPI is asked for (docs/decisions/0014-routes.md).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, TypeVar

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from ficha.http.served import Served
from ficha.http.threads import Pool

Endpoint = Callable[..., Any]
E = TypeVar("E", bound=Endpoint)
# Where the scope of a request names the route that matched.
MATCHED = "ficha.route"
# Reading a member of an enumeration takes as long as matching a path.
NO_MATCH, OTHER_METHOD, MATCH = Match.NONE, Match.PARTIAL, Match.FULL
# By how many of its first segments a path is looked up.
FIRST_SEGMENTS = 2
ANY_START = ("{}",)


class DeclaredRoute(NamedTuple):
    path: str
    endpoint: Endpoint
    pool: Pool
    takes_files: bool
    arguments: dict[str, Any]


class Routes:
    """A list of routes. `pool` are the threads of those that name no other; `shared` are arguments of FastAPI's route
    that hold for all of them."""

    def __init__(
        self, prefix: str = "", *, served: type[Served] = Served, pool: Pool = Pool.REQUESTS, **shared: Any
    ) -> None:
        self._prefix, self._served, self._pool, self._shared = prefix, served, pool, shared
        self._declared: list[DeclaredRoute] = []
        self._joined: dict[str, list[ServedRoute]] = {}

    def api_route(
        self, path: str, *, methods: list[str], pool: Pool | None = None, takes_files: bool = False, **arguments: Any
    ) -> Callable[[E], E]:
        def declare(endpoint: E) -> E:
            arguments["methods"] = methods
            declared = DeclaredRoute(self._prefix + path, endpoint, pool or self._pool, takes_files, arguments)
            self._declared.append(declared)
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
        in this process, as in the tests, gets the same routes, with the plans made so far."""
        routes = self._joined.setdefault(prefix, [])
        for path, endpoint, pool, takes_files, arguments in self._declared[len(routes) :]:
            together = self._shared | arguments
            if "dependencies" in self._shared and "dependencies" in arguments:
                together["dependencies"] = [*self._shared["dependencies"], *arguments["dependencies"]]
            declared = DeclaredRoute(prefix + path, endpoint, pool, takes_files, together)
            routes.append(ServedRoute(self._served, declared))
        table = table_of(app)
        for route in routes:
            table.add(route)


class ServedRoute(Route):
    """A path and its methods. `described` is FastAPI's route for the same function."""

    def __init__(self, served: type[Served], declared: DeclaredRoute) -> None:
        path, function, pool, takes_files, arguments = declared
        self.served = served(
            path,
            function,
            pool=pool,
            takes_files=takes_files,
            status=arguments.get("status_code") or 200,
            dependencies=arguments.get("dependencies", ()),
            promised=arguments.get("response_model"),
        )
        self._arguments = arguments
        super().__init__(path, self.served, methods=arguments["methods"], name=function.__name__)
        # Starlette adds HEAD to every GET; only pages have it.
        self.methods = set(arguments["methods"])

    @property
    def described(self) -> APIRoute:
        return APIRoute(self.path, self.served.function, **self._arguments)


class LaterRoutes:
    """Holds the place of routes that are not loaded yet. `join` adds them."""

    def __init__(self, join: Callable[[], None]) -> None:
        self.join = join


class RouteTable(BaseRoute):
    """All routes, in the order in which they are tried: of two that match a path, the first answers. Only those are
    tried whose first segments are the path's.

    Routes that are added later are not loaded in a server that nobody asks for them. Loading takes up to 0.1 s, once:
    what a stranger or an alert needs is never among them."""

    def __init__(self) -> None:
        self._places: list[ServedRoute | LaterRoutes] = []
        self._by_start: dict[tuple[str, ...], list[ServedRoute]] = {}
        self._by_any: list[ServedRoute] = []
        self._later: dict[tuple[str, ...], list[LaterRoutes]] = {}

    @property
    def routes(self) -> list[ServedRoute]:
        for start in list(self._later):
            self._add_those_of(start)
        return [place for place in self._places if isinstance(place, ServedRoute)]

    def add_later(self, starts: Iterable[str], join: Callable[[], None]) -> None:
        """`join` adds the routes whose paths begin with one of these, as `/admin` or `/v2/codes`. It is called when one
        of them is first asked for. A start that is a variable, as `/v1/{institution}`, is when nothing else matches."""
        later = LaterRoutes(join)
        self._places.append(later)
        for start in starts:
            key = ANY_START if "{" in start else _start(start)
            self._later.setdefault(key, []).append(later)

    def add(self, route: ServedRoute) -> None:
        self._places.append(route)
        start = _start(route.path)
        if any("{" in segment for segment in start):
            self._by_any.append(route)
            for routes in self._by_start.values():
                routes.append(route)
        else:
            self._by_start.setdefault(start, [*self._by_any]).append(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return NO_MATCH, {}
        start = _start(path_below_root(scope))
        if self._later:
            self._add_those_of(start[:1])
            self._add_those_of(start)
        found = self._match(start, scope)
        if found[0] is not MATCH and ANY_START in self._later:
            self._add_those_of(ANY_START)
            found = self._match(start, scope)
        return found

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await scope[MATCHED].handle(scope, receive, send)

    def _match(self, start: tuple[str, ...], scope: Scope) -> tuple[Match, Scope]:
        routes = self._by_start.get(start, self._by_any)
        method = scope["method"]
        for route in routes:
            if method in (route.methods or ()):
                match, child = route.matches(scope)
                if match is MATCH:
                    return MATCH, {**child, MATCHED: route}
        for route in routes:
            match, child = route.matches(scope)
            if match is OTHER_METHOD:
                return OTHER_METHOD, {**child, MATCHED: route}
        return NO_MATCH, {}

    def _add_those_of(self, start: tuple[str, ...]) -> None:
        for later in self._later.get(start, ()):
            if later in self._places:  # Otherwise another of its starts was asked for before.
                self._load(later)
        self._later.pop(start, None)

    def _load(self, later: LaterRoutes) -> None:
        """Puts the routes where their place was held, and then all of them into the lists anew, in their order."""
        places, self._places = self._places, []
        try:
            later.join()
            place = places.index(later)
            places[place : place + 1] = self._places
        finally:
            self._places, self._by_start, self._by_any = [], {}, []
            for each in places:
                if isinstance(each, ServedRoute):
                    self.add(each)
                else:
                    self._places.append(each)


def table_of(app: FastAPI) -> RouteTable:
    """The application's table, which is its first route."""
    for route in app.router.routes:
        if isinstance(route, RouteTable):
            return route
    table = RouteTable()
    app.router.routes.append(table)
    return table


def matched_route(scope: Scope) -> ServedRoute | None:
    """The route that answers this request. Logs and metrics name a request by its path, because the request's own may
    hold a code."""
    return scope.get(MATCHED)


def path_below_root(scope: Scope) -> str:
    """The request's path without the `root_path` of a mounted application, which ASGI leaves in it."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def described_routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """The same routes as FastAPI describes them."""
    for route in routes:
        if isinstance(route, RouteTable):
            yield from (each.described for each in route.routes)
        else:
            yield route


def _start(path: str) -> tuple[str, ...]:
    return tuple(path.split("/", FIRST_SEGMENTS + 1)[1 : FIRST_SEGMENTS + 1])
