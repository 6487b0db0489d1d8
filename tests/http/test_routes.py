"""Routes of our own list: under every prefix they are joined with, found by path and method, the first that matches."""

from functools import partial
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from ficha.http.routes import Routes, described_routes, table_of

calls: list[str] = []


def note(name: str) -> Any:
    """A dependency that notes its own name and the caller's."""

    def noted(x_name: Annotated[str, Header()] = "nobody") -> None:
        calls.append(f"{name} {x_name}")

    return Depends(noted)


def app_with(*lists: Routes) -> FastAPI:
    app = FastAPI(openapi_url=None)
    app.state.checks_answers, app.state.takes_one_writer = True, False
    for routes in lists:
        routes.join(app, "/v1")
        routes.join(app, "/v2")
    return app


def things() -> Routes:
    routes = Routes("/things", dependencies=[note("all")])

    @routes.get("/{code}", dependencies=[note("one")])
    def thing(code: str) -> str:
        return code

    @routes.post("")
    def make() -> str:
        return "made"

    return routes


def planned(app: FastAPI) -> list[str]:
    return [route.path for route in table_of(app).routes if "plan" in vars(route.served)]


def test_a_plan_is_made_when_its_path_is_first_asked_for() -> None:
    app = app_with(things())
    client = TestClient(app)
    assert planned(app) == []
    assert client.get("/v3/things/7").status_code == 404
    assert planned(app) == []
    assert client.get("/v2/things/7").json() == "7"
    assert planned(app) == ["/v2/things/{code}"]
    [route] = [route for route in table_of(app).routes if route.path == "/v2/things/{code}"]
    first = route.served.plan
    assert client.get("/v2/things/8").json() == "8" and route.served.plan is first


def test_another_method_is_405_and_a_mounted_application_finds_its_paths() -> None:
    refused = TestClient(app_with(things())).put("/v1/things")
    assert refused.status_code == 405 and refused.headers["allow"] == "POST"
    assert TestClient(app_with(things())).head("/v1/things/7").status_code == 405
    outer = FastAPI(openapi_url=None)
    outer.mount("/below", app_with(things()))
    assert TestClient(outer).post("/below/v1/things").json() == "made"
    assert TestClient(outer).post("/v1/things").status_code == 404


def test_shared_dependencies_run_before_those_of_one_route() -> None:
    calls.clear()
    assert TestClient(app_with(things())).get("/v1/things/7", headers={"X-Name": "ana"}).status_code == 200
    assert calls == ["all ana", "one ana"]


def test_of_two_that_match_the_first_answers_wherever_their_parameters_stand() -> None:
    routes = Routes()

    @routes.get("/{anything}/last")
    def before(anything: str) -> str:
        return f"before {anything}"

    @routes.get("/fixed/last")
    def hidden() -> str:
        return "hidden"

    @routes.get("/fixed/first")
    def fixed() -> str:
        return "fixed"

    @routes.get("/fixed/{name}")
    def after(name: str) -> str:
        return f"after {name}"

    client = TestClient(app_with(routes))
    told = {path: client.get(f"/v1{path}").json() for path in ("/fixed/last", "/fixed/first", "/fixed/7", "/x/last")}
    assert told == {
        "/fixed/last": "before fixed",
        "/fixed/first": "fixed",
        "/fixed/7": "after 7",
        "/x/last": "before x",
    }


def test_fastapi_describes_every_route() -> None:
    described = [route for route in described_routes(app_with(things()).routes) if isinstance(route, APIRoute)]
    assert [(route.path, route.methods) for route in described] == [
        ("/v1/things/{code}", {"GET"}),
        ("/v1/things", {"POST"}),
        ("/v2/things/{code}", {"GET"}),
        ("/v2/things", {"POST"}),
    ]


def test_another_application_gets_the_same_routes_and_those_declared_since() -> None:
    routes = Routes("/things")
    routes.get("/one")(lambda: 1)
    first = app_with(routes)
    assert TestClient(first).get("/v1/things/one").json() == 1
    routes.get("/two")(lambda: 2)
    second = app_with(routes)
    assert planned(second) == ["/v1/things/one"]
    assert TestClient(second).get("/v1/things/two").json() == 2
    assert TestClient(first).get("/v1/things/two").status_code == 404


def test_routes_that_are_seldom_asked_for_are_added_when_they_are() -> None:
    app = app_with(things())
    loaded: list[int] = []

    def join() -> None:
        loaded.append(1)
        seldom = Routes("/seldom")

        @seldom.get("")
        def found() -> str:
            return "found"

        seldom.join(app)

    table_of(app).add_later(["/seldom"], join)
    client = TestClient(app)
    assert client.get("/nothing").status_code == 404 and loaded == []
    assert client.get("/seldom").json() == "found"
    assert client.get("/seldom").json() == "found" and loaded == [1]
    assert "/seldom" in [route.path for route in table_of(app).routes]


def test_routes_that_are_loaded_later_stand_where_they_were_declared() -> None:
    """Two starts load them once; one with a variable is tried when nothing else matches; the order is kept."""
    app = app_with()
    early, late, named = Routes(), Routes(), Routes()
    loaded: list[str] = []

    @named.get("/v1/{institution}/people")
    def people(institution: str) -> str:
        return institution

    @late.get("/v2/codes/{name}")
    def codes(name: str) -> str:
        return f"late {name}"

    @late.get("/v2/batches")
    def batches() -> str:
        return "batches"

    @early.get("/v2/codes/{name}")
    def never(name: str) -> str:
        return f"early {name}"

    def load(name: str, routes: Routes) -> None:
        loaded.append(name)
        routes.join(app)

    table_of(app).add_later(["/v1/{institution}"], partial(load, "named", named))
    table_of(app).add_later(["/v2/codes", "/v2/batches"], partial(load, "late", late))
    early.join(app)
    client = TestClient(app)
    assert client.get("/v2/codes/A").json() == "late A" and loaded == ["late"]
    assert client.get("/v2/batches").json() == "batches" and loaded == ["late"]
    assert client.get("/v1/codes/people").json() == "codes" and loaded == ["late", "named"]
    paths = [route.path for route in table_of(app).routes]
    assert paths == ["/v1/{institution}/people", "/v2/codes/{name}", "/v2/batches", "/v2/codes/{name}"]
