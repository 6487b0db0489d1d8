"""Routes of our own list: built when a path first matches, under every prefix they are joined with."""

from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from ficha.http.routes import LazyRoute, Routes

calls: list[str] = []


def note(name: str) -> Any:
    """A dependency that notes its own name and the caller's."""

    def noted(x_name: Annotated[str, Header()] = "nobody") -> None:
        calls.append(f"{name} {x_name}")

    return Depends(noted)


def built(app: FastAPI) -> list[str]:
    return [route.path for route in app.routes if isinstance(route, LazyRoute) and "built" in vars(route)]


def app_with_routes() -> FastAPI:
    routes = Routes("/things", dependencies=[note("all")])

    @routes.get("/{code}", dependencies=[note("one")])
    def thing(code: str) -> str:
        return code

    @routes.post("")
    def make() -> str:
        return "made"

    app = FastAPI(openapi_url=None)
    routes.join(app, "/v1")
    routes.join(app, "/v2")
    return app


def test_a_route_is_built_when_its_path_is_first_asked_for() -> None:
    app = app_with_routes()
    client = TestClient(app)
    assert built(app) == []
    assert client.get("/v3/things/7").status_code == 404
    assert built(app) == []
    assert client.get("/v2/things/7").json() == "7"
    assert built(app) == ["/v2/things/{code}"]
    [route] = [route for route in app.routes if isinstance(route, LazyRoute) and route.path == "/v2/things/{code}"]
    first = route.built
    assert client.get("/v2/things/8").json() == "8" and route.built is first and isinstance(first, APIRoute)


def test_another_method_is_405_and_a_mounted_application_finds_its_paths() -> None:
    assert TestClient(app_with_routes()).put("/v1/things").status_code == 405
    outer = FastAPI(openapi_url=None)
    outer.mount("/below", app_with_routes())
    assert TestClient(outer).post("/below/v1/things").json() == "made"
    assert TestClient(outer).post("/v1/things").status_code == 404


def test_shared_dependencies_run_before_those_of_one_route() -> None:
    calls.clear()
    assert TestClient(app_with_routes()).get("/v1/things/7", headers={"X-Name": "ana"}).status_code == 200
    assert calls == ["all ana", "one ana"]


def test_another_application_gets_the_same_routes_and_those_declared_since() -> None:
    routes = Routes("/things")
    routes.get("/one")(lambda: 1)
    first, second = FastAPI(openapi_url=None), FastAPI(openapi_url=None)
    routes.join(first)
    assert TestClient(first).get("/things/one").json() == 1
    routes.get("/two")(lambda: 2)
    routes.join(second)
    assert built(second) == ["/things/one"]
    assert TestClient(second).get("/things/two").json() == 2
    assert TestClient(first).get("/things/two").status_code == 404
