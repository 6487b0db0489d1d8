"""Routes of our own list: under every prefix they are joined with, found by path and method, the first that matches."""

from functools import partial
from typing import Annotated, Any

from fastapi import Depends, Header, Path
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.testclient import TestClient

from ficha.asgi.application import Application
from ficha.asgi.routes import RouteGroup, Routes, ServedRoute, served_routes
from ficha.core.errors import FichaError

calls: list[str] = []


class ThingNotFound(FichaError):
    status = 404
    code = "thing_not_found"


def refuse(_request: Request, error: FichaError) -> Response:
    return JSONResponse(error.code, error.status, headers=dict(error.headers))


def note(name: str) -> Any:
    """A dependency that notes its own name and the caller's."""

    def noted(x_name: Annotated[str, Header()] = "nobody") -> None:
        calls.append(f"{name} {x_name}")

    return Depends(noted)


def under_both(routes: Routes) -> list[ServedRoute]:
    return [*routes.under("/v1"), *routes.under("/v2")]


def app_with(*lists: Routes) -> Application:
    groups = [RouteGroup(partial(under_both, routes)) for routes in lists]
    return Application(refuse, checks_answers=True, routes=groups)


def things() -> Routes:
    routes = Routes("/things", dependencies=[note("all")])

    @routes.get("/{code}", dependencies=[note("one")])
    def thing(code: str) -> str:
        return code

    @routes.post("")
    def make() -> str:
        return "made"

    return routes


def planned(app: Application) -> list[str]:
    return [route.path for route in served_routes(app.routes) if "plan" in vars(route.served)]


def test_a_plan_is_made_when_its_path_is_first_asked_for() -> None:
    app = app_with(things())
    client = TestClient(app)
    assert planned(app) == []
    assert client.get("/v3/things/7").status_code == 404
    assert planned(app) == []
    assert client.get("/v2/things/7").json() == "7"
    assert planned(app) == ["/v2/things/{code}"]
    [route] = [route for route in served_routes(app.routes) if route.path == "/v2/things/{code}"]
    first = route.served.plan
    assert client.get("/v2/things/8").json() == "8" and route.served.plan is first


def test_another_method_is_405_and_a_mounted_application_finds_its_paths() -> None:
    refused = TestClient(app_with(things())).put("/v1/things")
    assert refused.status_code == 405 and refused.headers["allow"] == "POST"
    head = TestClient(app_with(things())).head("/v1/things/7")
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "3")
    outer = Starlette()
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

    @routes.get("/fixed/{name}")
    def after(name: str) -> str:
        return f"after {name}"

    client = TestClient(app_with(routes))
    told = {path: client.get(f"/v1{path}").json() for path in ("/fixed/last", "/fixed/7", "/x/last")}
    assert told == {"/fixed/last": "before fixed", "/fixed/7": "after 7", "/x/last": "before x"}


def test_fastapi_describes_every_route() -> None:
    described = [route.described for route in served_routes(app_with(things()).routes)]
    assert [(route.path, route.methods) for route in described] == [
        ("/v1/things/{code}", {"GET"}),
        ("/v1/things", {"POST"}),
        ("/v2/things/{code}", {"GET"}),
        ("/v2/things", {"POST"}),
    ]


def test_what_the_lane_answers_is_described_and_what_it_leaves_is_checked_and_refused() -> None:
    routes = Routes("/things")

    @routes.get("/{number}", in_lane=ThingNotFound)
    def described(number: Annotated[int, Path(ge=1)]) -> int:
        raise AssertionError

    app = app_with(routes)
    assert [route.path for route in served_routes(app.routes)] == ["/v1/things/{number}", "/v2/things/{number}"]
    answers = [TestClient(app).get(f"/v1/things/{number}") for number in (1, 0)]
    assert [(answer.status_code, answer.json()) for answer in answers] == [
        (404, "thing_not_found"),
        (422, "parametro_invalido"),
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


def test_a_group_is_loaded_when_one_of_its_starts_is_asked_for() -> None:
    loaded: list[int] = []

    def load() -> list[ServedRoute]:
        loaded.append(1)
        seldom = Routes()
        seldom.get("/seldom")(lambda: "found")
        seldom.get("/rarely/{name}")(lambda: "rare")
        return seldom.under()

    common = Routes()
    common.get("/{name}/common")(lambda: "common")
    app = Application(refuse, routes=[RouteGroup(load, ["/seldom", "/rarely"]), RouteGroup(common.under)])
    client = TestClient(app)
    assert client.get("/nothing").status_code == 404 and client.get("/x/common").json() == "common" and loaded == []
    assert client.get("/rarely/7").json() == "rare"
    assert client.get("/seldom").json() == "found" and loaded == [1]
    assert client.get("/seldom/common").json() == "common", "the groups after it are tried too"
    assert "/seldom" in [route.path for route in served_routes(app.routes)]
