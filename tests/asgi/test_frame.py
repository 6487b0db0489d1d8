"""The frame around toy operations: ids, headers, sizes, counts and crashes."""

from typing import Annotated

import pytest
from fastapi import Body, Path
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.testclient import TestClient

from ficha.asgi.application import Application
from ficha.asgi.bodies import UnfinishedBodies
from ficha.asgi.frame import Frame
from ficha.asgi.routes import RouteGroup, Routes
from ficha.core.errors import FichaError
from ficha.core.settings import Settings

routes = Routes("/things")


@routes.get("/{number}")
def thing(number: Annotated[int, Path()]) -> float:
    return 1 / number


@routes.post("")
def make(body: Annotated[str, Body()]) -> str:
    return body


@routes.get("/shown/as/page")
def page() -> Response:
    return Response("page", headers={"Cache-Control": "public"})


def refuse(_request: Request, error: FichaError) -> Response:
    return JSONResponse(error.code, error.status, headers=dict(error.headers))


class Framed:
    """A client of these operations, and what the frame counted."""

    def __init__(self) -> None:
        self.counted: list[tuple[str, str, int]] = []
        frame = Middleware(
            Frame,
            settings=Settings(json_bytes=50),
            bodies=UnfinishedBodies(),
            count=lambda method, route, status, _seconds: self.counted.append((method, route, status)),
            more_headers=lambda _scope: [(b"x-more", b"yes")],
            most_bytes={"/larger": 500},
        )
        self.client = TestClient(Application(refuse, routes=[RouteGroup(routes.under)], middleware=[frame]))


@pytest.fixture
def framed() -> Framed:
    return Framed()


def test_each_answer_has_an_id_and_the_headers_that_it_does_not_bring(framed: Framed) -> None:
    plain, own = framed.client.get("/things/2").headers, framed.client.get("/things/shown/as/page").headers
    assert len(plain["X-Request-Id"]) == 16 and plain["X-More"] == "yes"
    assert (plain["Cache-Control"], own["Cache-Control"]) == ("no-store", "public")
    assert framed.client.get("/things/2", headers={"X-Request-Id": "known-one"}).headers["X-Request-Id"] == "known-one"


def test_every_answer_is_counted_under_its_route_and_a_crash_as_500(framed: Framed) -> None:
    for path in ("/things/2", "/things/x", "/things/0", "/nowhere"):
        framed.client.get(path)
    assert framed.counted == [
        ("GET", "/things/{number}", 200),
        ("GET", "/things/{number}", 422),
        ("GET", "/things/{number}", 500),
        ("GET", "unknown", 404),
    ]


def test_a_crash_is_answered_without_its_cause(framed: Framed) -> None:
    answer = framed.client.get("/things/0")
    assert (answer.status_code, answer.json()) == (500, "error_interno")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_body_is_refused_by_what_it_announces_and_by_what_comes(framed: Framed) -> None:
    said = {"Content-Type": "application/json"}
    assert framed.client.post("/things", content=b'"short"', headers=said).json() == "short"
    for content in (b" " * 60, (b" " * 20 for _ in range(3))):
        assert framed.client.post("/things", content=content, headers=said).status_code == 413
    assert framed.client.post("/larger", content=b" " * 60, headers=said).status_code == 404, "it may be larger there"


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ([("Authorization", "a"), ("Authorization", "b")], "cabecera_repetida"),
        ([("Content-Encoding", "gzip"), ("Content-Length", "1")], "codificacion_no_admitida"),
    ],
)
def test_what_two_readers_could_understand_in_two_ways_is_refused(
    framed: Framed, headers: list[tuple[str, str]], code: str
) -> None:
    assert framed.client.get("/things/2", headers=headers).json() == code
