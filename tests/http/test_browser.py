"""Cookies for our own front ends, by the rules of Sanctum."""

from urllib.parse import unquote

import pytest
from starlette.testclient import TestClient

from tests.world import CLAVE, Person, World

PAGE = {"Referer": "http://testserver/app"}


def begin(client: TestClient) -> dict[str, str]:
    """What a script of our page does first; returns the headers it sends from then on."""
    answer = client.get("/sanctum/csrf-cookie", headers=PAGE)
    assert answer.status_code == 200
    return PAGE | {"X-XSRF-TOKEN": unquote(client.cookies["XSRF-TOKEN"])}


def log_in(client: TestClient, ana: Person) -> dict[str, str]:
    headers = begin(client)
    answer = client.post("/v2/auth/login", json={"correo": ana.correo, "clave": CLAVE}, headers=headers)
    assert answer.status_code == 200
    return PAGE | {"X-XSRF-TOKEN": unquote(client.cookies["XSRF-TOKEN"])}


def test_csrf_cookie_sets_both_cookies(client: TestClient) -> None:
    answer = client.get("/sanctum/csrf-cookie", headers=PAGE)
    session, xsrf = sorted(answer.headers.get_list("set-cookie"), reverse=True)
    assert session.startswith("ficha_session=") and "HttpOnly" in session and "SameSite=lax" in session
    assert xsrf.startswith("XSRF-TOKEN=") and "HttpOnly" not in xsrf
    assert "Max-Age=7200" in session and "Max-Age=7200" in xsrf


def test_a_page_of_ours_logs_in_and_is_recognised_by_its_cookie(client: TestClient, ana: Person) -> None:
    headers = log_in(client, ana)
    me = client.get("/v2/auth/me", headers=headers)
    assert me.status_code == 200 and me.json()["data"]["id"] == ana.id


def test_the_cookie_alone_is_not_enough_for_another_site(client: TestClient, ana: Person) -> None:
    log_in(client, ana)
    assert client.get("/v2/auth/me", headers={"Referer": "https://evil.example/"}).status_code == 401
    assert client.get("/v2/auth/me").status_code == 401


def test_a_change_without_the_token_is_419(client: TestClient, world: World, ana: Person) -> None:
    headers = log_in(client, ana)
    for bad in (PAGE, PAGE | {"X-XSRF-TOKEN": "x"}, PAGE | {"X-CSRF-TOKEN": "x"}, {"Origin": "http://testserver"}):
        answer = client.post("/v2/auth/logout", headers=bad)
        assert answer.status_code == 419
        assert answer.json()["errors"][0]["code"] == "csrf_no_coincide"
    assert client.get("/v2/auth/me", headers=headers).status_code == 200


def test_the_token_of_another_session_is_419(client: TestClient, world: World, ana: Person) -> None:
    log_in(client, ana)
    stranger = TestClient(world.app)
    theirs = begin(stranger)
    assert client.post("/v2/auth/logout", headers=theirs).status_code == 419


def test_the_browser_itself_may_vouch_for_the_page(client: TestClient, ana: Person) -> None:
    log_in(client, ana)
    assert client.post("/v2/auth/logout", headers=PAGE | {"Sec-Fetch-Site": "same-origin"}).status_code == 200


def test_login_changes_the_session_so_that_a_planted_one_is_worthless(client: TestClient, ana: Person) -> None:
    begin(client)
    planted = client.cookies["ficha_session"]
    log_in(client, ana)
    assert client.cookies["ficha_session"] != planted
    thief = TestClient(client.app, cookies={"ficha_session": planted})
    assert thief.get("/v2/auth/me", headers=PAGE).status_code == 401


def test_logout_ends_the_session_and_clears_the_cookies(client: TestClient, ana: Person) -> None:
    headers = log_in(client, ana)
    secret = client.cookies["ficha_session"]
    assert client.post("/v2/auth/logout", headers=headers).status_code == 200
    assert "ficha_session" not in client.cookies
    kept = TestClient(client.app, cookies={"ficha_session": secret})
    assert kept.get("/v2/auth/me", headers=PAGE).status_code == 401


def test_revoking_its_token_elsewhere_ends_the_browser_session(client: TestClient, world: World, ana: Person) -> None:
    headers = log_in(client, ana)
    assert ana.post("/v2/auth/logout", {"all": True}).status_code == 200
    assert client.get("/v2/auth/me", headers=headers).status_code == 401


def test_an_open_session_wins_over_a_bearer_token(client: TestClient, world: World, ana: Person) -> None:
    luis = world.register()
    headers = log_in(client, ana)
    me = client.get("/v2/auth/me", headers=headers | luis.headers)
    assert me.json()["data"]["id"] == ana.id


def test_a_session_slides_while_it_is_used_and_ends_when_it_is_not(
    client: TestClient, world: World, ana: Person
) -> None:
    headers = log_in(client, ana)
    for _ in range(3):
        world.clock.move(minutes=100)
        assert client.get("/v2/auth/me", headers=headers).status_code == 200
        world.parts.last_used.write(world.parts.database, world.parts.settings.session_minutes)
    world.clock.move(minutes=120)
    assert client.get("/v2/auth/me", headers=headers).status_code == 401


def test_answers_that_did_not_fail_renew_the_token_cookie(client: TestClient, ana: Person) -> None:
    headers = log_in(client, ana)
    before = client.cookies["XSRF-TOKEN"]
    client.get("/v2/auth/me", headers=headers)
    assert client.cookies["XSRF-TOKEN"] != before
    renewed = PAGE | {"X-XSRF-TOKEN": unquote(client.cookies["XSRF-TOKEN"])}
    assert client.post("/v2/auth/logout", headers=renewed).status_code == 200


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("cookie", ["x", "a" * 43 + "!", "á" * 43, ""])
def test_a_cookie_that_is_none_of_ours_is_ignored(client: TestClient, cookie: str) -> None:
    answer = client.get(
        "/v2/auth/me", headers={b"Referer": PAGE["Referer"].encode(), b"Cookie": f"ficha_session={cookie}".encode()}
    )
    assert answer.status_code == 401


def test_token_clients_are_not_bothered(client: TestClient, ana: Person) -> None:
    assert ana.post("/v2/auth/logout", headers={"Origin": "https://app.example"}).status_code == 200
