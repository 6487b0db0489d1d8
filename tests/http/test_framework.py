"""What ficha/http/framework.py takes from FastAPI is still there, and no private name of a library is used."""

import ast
from pathlib import Path
from typing import Annotated

from fastapi import Body, Depends, FastAPI, Header, Query, Request
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

import ficha
from ficha.http.framework import matched_route, query_names, takes_json

# Public in spite of their underscore: Python's own documentation describes them.
DOCUMENTED = {"_asdict", "_fields", "_replace", "_exit", "_value_"}


def page(cursor: str | None = None, size: Annotated[int, Query(alias="page-size")] = 1) -> None: ...


def content(body: Annotated[dict[str, str], Body()]) -> None: ...


def test_query_names_are_those_of_the_endpoint_and_its_dependencies() -> None:
    def endpoint(
        code: str, _page: Annotated[None, Depends(page)], q: str = "", tag: Annotated[str, Header()] = ""
    ) -> None: ...

    assert query_names(APIRoute("/{code}", endpoint)) == {"q", "cursor", "page-size"}
    with_own = APIRoute("/{code}", lambda code: None, dependencies=[Depends(page)])
    assert query_names(with_own) == {"cursor", "page-size"}


def test_a_body_is_noticed_wherever_it_is_read() -> None:
    def reads_it(body: dict[str, str]) -> None: ...

    def has_it_read(_content: Annotated[None, Depends(content)]) -> None: ...

    def reads_none(request: Request, q: str = "") -> None: ...

    assert takes_json(APIRoute("/", reads_it, methods=["POST"]))
    assert takes_json(APIRoute("/", has_it_read, methods=["POST"]))
    assert not takes_json(APIRoute("/", reads_none, methods=["POST"]))


def test_the_scope_holds_the_route_that_matched() -> None:
    app = FastAPI()

    @app.get("/things/{code}", status_code=201)
    def thing(request: Request, code: str) -> list[str | int | None]:
        route = matched_route(request.scope)
        return [] if route is None else [route.path, route.status_code]

    assert TestClient(app).get("/things/7").json() == ["/things/{code}", 201]
    assert matched_route({"type": "http"}) is None


def test_no_private_name_of_a_library_is_used() -> None:
    for file in Path(ficha.__file__).parent.rglob("*.py"):
        tree = ast.parse(file.read_text())
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        own |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _is_self(node.value)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
            elif isinstance(node, ast.Import):
                names = {name for alias in node.names for name in alias.name.split(".")}
            elif isinstance(node, ast.Attribute):
                names = {node.attr} - own
            else:
                continue
            private = {name for name in names if name.startswith("_") and not name.startswith("__")} - DOCUMENTED
            assert not private, f"{file}:{node.lineno} uses {private}"


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
