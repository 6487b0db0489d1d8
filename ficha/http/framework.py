"""What we take from FastAPI that its documentation does not promise: each with the reason, and a test in
tests/http/test_framework.py that fails when an upgrade changes it."""

from collections.abc import Iterator
from typing import Any

from fastapi.routing import APIRoute
from starlette.types import Scope


def query_names(route: APIRoute) -> frozenset[str]:
    """Names of the query parameters that the endpoint and its dependencies take.

    `APIRoute.dependant` is where FastAPI keeps them. We refuse unknown parameters, and FastAPI has no such rule.
    """
    return frozenset(_query_names(route.dependant))


def takes_json(route: APIRoute) -> bool:
    """Whether the endpoint or a dependency reads the body as JSON: `APIRoute.body_field` is None if not.

    We check content type, nesting and repeated names before FastAPI parses the body.
    """
    return route.body_field is not None


def matched_route(scope: Scope) -> APIRoute | None:
    """The route that answers this request: `APIRoute.matches` puts it in the scope.

    Logs and metrics name a request by its route, because a path may hold a code.
    """
    route = scope.get("route")
    return route if isinstance(route, APIRoute) else None


def _query_names(dependant: Any) -> Iterator[str]:
    for parameter in dependant.query_params:
        yield parameter.alias
    for inner in dependant.dependencies:
        yield from _query_names(inner)
