"""The account's own pages: its language, its clave, its sessions, and leaving."""

from tests.web.portal.page_session import PageUser, logged_in
from tests.world import CLAVE, Person, World

NEW = "tres palabras nuevas"


def test_the_language_of_mails(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    assert user.submit("/app/mi-cuenta", idioma="pt").status_code == 303
    account = world.account(ana.id)
    assert account is not None and account.idioma == "pt"
    assert user.submit("/app/mi-cuenta", idioma="xx").status_code == 303
    assert user.get("/app/mi-cuenta").status_code == 200


def test_other_sessions_can_be_closed(world: World, ana: Person) -> None:
    user, other = logged_in(world, ana), logged_in(world, ana)
    assert user.submit("/app/mi-cuenta", do="end").status_code == 303
    assert user.get("/app").status_code == 200
    assert other.get("/app").headers["location"].startswith("/login")
    assert ana.get("/v2/auth/me").status_code == 401


def test_a_new_clave_asks_for_the_old_one(world: World, ana: Person) -> None:
    user, other = logged_in(world, ana), logged_in(world, ana)
    path = "/app/mi-cuenta/clave"
    assert user.submit(path, clave="mala", clave_nueva=NEW).status_code == 422
    assert "al menos 10" in user.submit(path, clave=CLAVE, clave_nueva="corta").text
    assert user.submit(path, clave=CLAVE, clave_nueva=NEW).status_code == 303
    assert user.get("/app").status_code == 200
    assert other.get("/app").status_code == 303
    assert world.login(ana.correo, NEW).status_code == 200
    assert world.login(ana.correo, CLAVE).status_code == 401


def test_leaving_offers_what_is_held_and_asks_for_the_clave(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    path = "/app/mi-cuenta/borrar"
    [code] = ana.data["attributes"]["product_codes"]
    assert f'href="/v2/fmd/{code}/export"' in user.get(path).text
    referer = {"Referer": f"http://testserver{path}"}
    assert user.client.get(f"/v2/fmd/{code}/export", headers=referer).status_code == 200
    assert user.submit(path, clave="mala").status_code == 422
    assert world.account(ana.id) is not None
    gone = user.submit(path, clave=CLAVE)
    assert gone.headers["location"] == "/" and "storage" in gone.headers["clear-site-data"]
    assert world.account(ana.id) is None
    assert user.get("/app").status_code == 303


def test_another_site_changes_nothing(world: World, ana: Person) -> None:
    user: PageUser = logged_in(world, ana)
    for path in ("/app/mi-cuenta", "/app/mi-cuenta/clave", "/app/mi-cuenta/borrar", "/app/nueva"):
        assert user.post(path, clave=CLAVE, clave_nueva=NEW).status_code == 419
    assert world.login(ana.correo).status_code == 200
