"""Logging in and out on pages: whose session it is, and what other sites cannot make of it."""

from pathlib import Path

import pytest

from ficha.accounts.accounts import Role
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import Person, World, build_world, settings_for


def test_who_is_not_logged_in_comes_back_afterwards(world: World, ana: Person) -> None:
    user = PageUser(world)
    refused = user.get("/logout?x=1&y=2")
    assert refused.status_code == 303
    assert refused.headers["location"] == "/login?next=%2Flogout%3Fx%3D1%26y%3D2"
    let_in = user.log_in(ana, refused.headers["location"])
    assert let_in.status_code == 303
    assert let_in.headers["location"] == "/logout?x=1&y=2"
    page = user.get("/logout")
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"


def test_the_language_stays_on_the_way(world: World, ana: Person) -> None:
    user = PageUser(world)
    refused = user.get("/logout?l=pt")
    page = user.get(refused.headers["location"])
    assert '<html lang="pt">' in page.text
    assert 'formaction="/login?next=%2Flogout%3Fl%3Dpt&amp;l=en"' in page.text


def test_a_session_gets_a_new_secret_at_login(world: World, ana: Person) -> None:
    user = PageUser(world)
    user.get("/login")
    planted = user.client.cookies["ficha_session"]
    user.log_in(ana)
    assert user.client.cookies["ficha_session"] != planted
    thief = PageUser(world)
    thief.client.cookies.set("ficha_session", planted)
    assert thief.get("/logout").headers["location"].startswith("/login")


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/\t/evil.example",
        "javascript:alert(1)",
        "evil.example",
        "/ok\r\nSet-Cookie: a=b",
        "/" + "x" * 600,
    ],
)
def test_login_leads_to_no_other_site(world: World, ana: Person, wanted: str) -> None:
    assert PageUser(world).log_in(ana, next=wanted).headers["location"] == "/app"


def test_staff_begin_in_their_console(world: World) -> None:
    assert PageUser(world).log_in(world.somebody_with(Role.STAFF)).headers["location"] == "/admin"


def test_a_wrong_clave_says_the_same_as_an_unknown_correo(world: World, ana: Person) -> None:
    user = PageUser(world)
    wrong = user.log_in(ana, clave="no es la suya")
    unknown = user.log_in(ana, correo="nadie@ejemplo.com")
    assert wrong.status_code == unknown.status_code == 422
    assert "no es la suya" not in wrong.text
    assert wrong.text.replace(ana.correo, "X") == unknown.text.replace("nadie@ejemplo.com", "X")


def test_another_site_can_neither_log_in_nor_out(world: World, ana: Person) -> None:
    user = PageUser(world)
    forged = user.post("/login", correo=ana.correo, clave="caballo-bateria-grapa", _token="0" * 64)
    assert forged.status_code == 419
    assert ana.correo in forged.text
    user = logged_in(world, ana)
    assert user.post("/logout").status_code == 419
    assert user.post("/logout", _token="0" * 64).status_code == 419
    assert user.client.post("/logout", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 419
    assert user.get("/logout").status_code == 200


def test_logging_out_ends_the_session_and_wipes_the_device(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    secret = user.client.cookies["ficha_session"]
    left = user.submit("/logout")
    assert left.status_code == 303
    assert left.headers["location"] == "/"
    assert '"storage"' in left.headers["clear-site-data"]
    assert "ficha_session" not in user.client.cookies
    user.client.cookies.set("ficha_session", secret)
    assert user.get("/logout").headers["location"].startswith("/login")
    user.client.cookies.clear()
    assert user.post("/logout", _token="0").headers["location"] == "/login?next=%2Flogout"


def test_guessing_is_limited_as_in_the_api(tmp_path: Path, database_url: str) -> None:
    limited = build_world(settings_for(database_url, tmp_path, rate_limits="on", limit_login="3/9999 days"))
    try:
        ana = limited.somebody_with(Role.OWNER)
        user = PageUser(limited)
        answers = [user.log_in(ana, clave="mala").status_code for _ in range(4)]
        assert answers == [422, 422, 422, 429]
        assert limited.login(ana.correo).status_code == 429
    finally:
        limited.close()
