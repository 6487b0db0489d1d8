"""When something goes wrong: a page for a person, JSON for a program."""

import pytest
from starlette.testclient import TestClient

from ficha.accounts.accounts import Role
from ficha.asgi.routes import RouteGroup, Routes
from tests.web.portal.page_session import logged_in
from tests.world import World

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "sentence"),
    [("es", "No encontramos esa página"), ("en", "We cannot find that page"), ("pt", "Não encontramos essa página")],
)
def test_a_lost_person_gets_a_page(client: TestClient, language: str, sentence: str) -> None:
    page = client.get("/nada", headers=BROWSER | {"Accept-Language": language})
    assert page.status_code == 404
    assert sentence in page.text
    assert page.headers["x-request-id"] in page.text
    assert "style-src 'self'" in page.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/nada", "/v2/nada", "/health/nada", "/sandbox/nada"])
def test_a_program_gets_json(client: TestClient, path: str) -> None:
    assert client.get(path).json()["errors"][0]["code"] == "no_encontrado"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("path", ["/v1/nada", "/v2", "/test/nada", "/sanctum/nada", "/health/nada", "/api/nada"])
def test_operations_answer_json_even_to_a_browser(client: TestClient, path: str) -> None:
    assert client.get(path, headers=BROWSER).json()["errors"][0]["status"] == 404


def test_a_wrong_method_gets_a_page(client: TestClient) -> None:
    page = client.request("DELETE", "/clave", headers=BROWSER)
    assert page.status_code == 405
    assert "Esta página no se usa así" in page.text
    assert "allow" in page.headers


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("es", "Descargue antes todos los pliegos"), ("en", "Download all sheets of the batch first")],
)
def test_what_cannot_be_done_yet_says_what_comes_first(world: World, language: str, sentence: str) -> None:
    admin = logged_in(world, world.somebody_with(Role.ADMIN))
    admin.submit("/admin/lotes/nuevo", count="3")
    admin.client.headers.update(BROWSER | {"Accept-Language": language})
    early = admin.submit("/admin/lotes/1/confirmar")
    assert early.status_code == 409 and sentence in early.text
    assert "no se entendió" not in early.text and "<h1>" in early.text


def test_a_crash_gets_a_calm_page(world: World) -> None:
    def crash() -> None:
        raise RuntimeError("secret of the house")

    routes = Routes()
    routes.get("/roto")(crash)
    world.app.router.routes.append(RouteGroup(routes.under))
    page = world.client.get("/roto", headers=BROWSER)
    assert page.status_code == 500
    assert "Algo falló de nuestro lado" in page.text
    assert "secret" not in page.text
    assert page.headers["x-request-id"] in page.text


def test_a_hostile_address_is_shown_harmless(client: TestClient) -> None:
    page = client.get("/%3Cscript%3Ealert(1)%3C/script%3E", headers=BROWSER, params={"l": '"><script>'})
    assert page.status_code == 404
    assert "<script>" not in page.text
