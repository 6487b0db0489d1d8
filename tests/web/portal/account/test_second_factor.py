"""The second factor: set up, asked for at every door, good once, not to be guessed."""

import re
from pathlib import Path

import pyotp
import pytest

from ficha.accounts.accounts import Role
from tests.web.portal.page_session import HIDDEN, PageUser, logged_in
from tests.world import CLAVE, Person, World, build_world, settings_for

PATH = "/app/mi-cuenta/segundo"


def set_up(world: World, person: Person) -> tuple[pyotp.TOTP, list[str]]:
    """Returns the app and the recovery codes."""
    user = logged_in(world, person)
    assert user.submit(PATH, do="begin", clave="mala").status_code == 422
    assert user.submit(PATH, do="begin", clave=CLAVE).status_code == 303
    found = re.search(r"<code>([A-Z2-7]{32})</code>", user.get(PATH).text)
    assert found is not None
    app = pyotp.TOTP(found.group(1))
    assert user.submit(PATH, do="confirm", codigo="000000").status_code == 422
    done = user.submit(PATH, do="confirm", codigo=app.at(world.clock.now()))
    codes = re.findall(r"<code>([a-z0-9]{10})</code>", done.text)
    assert len(codes) == 10
    assert user.get("/app").status_code == 200
    return app, codes


def second_page(world: World, person: Person) -> tuple[PageUser, dict[str, str]]:
    """After the right clave: the hidden fields of the second step."""
    user = PageUser(world)
    page = user.log_in(person)
    assert page.status_code == 200 and "Un paso más" in page.text
    assert user.get("/app").status_code == 303
    return user, dict(HIDDEN.findall(page.text))


def test_login_asks_for_the_code_and_takes_each_once(world: World, ana: Person) -> None:
    app, recovery = set_up(world, ana)
    assert ana.get("/v2/auth/me").status_code == 401, "sessions that were opened without it are closed"
    user, hidden = second_page(world, ana)
    used = app.at(world.clock.now())
    assert user.post("/login/codigo", codigo=used, **hidden).status_code == 422
    world.clock.move(seconds=30)
    now = app.at(world.clock.now())
    assert user.post("/login/codigo", codigo="123", **hidden).status_code == 422
    assert user.post("/login/codigo", codigo=now, **hidden).headers["location"] == "/app"
    assert user.get("/app").status_code == 200
    user, hidden = second_page(world, ana)
    assert user.post("/login/codigo", codigo=now, **hidden).status_code == 422
    assert user.post("/login/codigo", codigo=recovery[0].upper(), **hidden).status_code == 303
    user, hidden = second_page(world, ana)
    assert user.post("/login/codigo", codigo=recovery[0], **hidden).status_code == 422


def test_the_api_asks_for_it_too(world: World, ana: Person) -> None:
    app, _ = set_up(world, ana)
    refused = world.login(ana.correo)
    assert refused.status_code == 401
    assert refused.json()["errors"][0]["code"] == "segundo_factor"
    world.clock.move(seconds=30)
    body = {"correo": ana.correo, "clave": CLAVE, "codigo": app.at(world.clock.now())}
    assert world.client.post("/v2/auth/login", json=body).status_code == 200
    wrong = world.client.post("/v2/auth/login", json=body | {"clave": "mala"})
    assert wrong.json()["errors"][0]["code"] == "credenciales_invalidas"


def test_the_second_step_is_of_one_browser_and_ends(world: World, ana: Person) -> None:
    app, _ = set_up(world, ana)
    _, hidden = second_page(world, ana)
    other, theirs = second_page(world, ana)
    world.clock.move(seconds=30)
    code = app.at(world.clock.now())
    stolen = other.post("/login/codigo", codigo=code, **theirs | {"paso": hidden["paso"]})
    assert stolen.headers["location"] == "/login"
    world.clock.move(minutes=6)
    late = other.post("/login/codigo", codigo=app.at(world.clock.now()), **theirs)
    assert late.headers["location"] == "/login"
    assert other.post("/login/codigo", codigo=code).headers["location"] == "/login"
    assert other.get("/login/codigo").headers["location"] == "/login"


def test_a_new_clave_ends_a_first_step_with_the_old_one(world: World, ana: Person) -> None:
    app, _ = set_up(world, ana)
    user, hidden = second_page(world, ana)
    choose_anew(world, ana, "otra clave larga")
    world.clock.move(seconds=30)
    refused = user.post("/login/codigo", codigo=app.at(world.clock.now()), **hidden)
    assert refused.headers["location"] == "/login"
    assert user.get("/app").status_code == 303


def choose_anew(world: World, person: Person, clave: str) -> None:
    world.client.post("/v2/auth/password/forgot", json={"correo": person.correo})
    world.run_jobs()
    [token] = re.findall(r"/clave/(\w+)", world.mails()[0].text)
    assert world.client.post("/v2/auth/password/reset", json={"token": token, "clave": clave}).status_code == 200


def test_it_can_be_taken_away_with_the_clave(world: World, ana: Person) -> None:
    app, _ = set_up(world, ana)
    user, hidden = second_page(world, ana)
    world.clock.move(seconds=30)
    user.post("/login/codigo", codigo=app.at(world.clock.now()), **hidden)
    assert user.submit(PATH, do="remove", clave="mala").status_code == 422
    assert user.submit(PATH, do="remove", clave=CLAVE).status_code == 303
    assert world.login(ana.correo).status_code == 200


def test_guessing_is_limited_for_the_account(tmp_path: Path, database_url: str) -> None:
    world = build_world(settings_for(database_url, tmp_path, rate_limits="on", limit_login="100/minute"))
    try:
        ana = world.somebody_with(Role.OWNER)
        set_up(world, ana)
        user, hidden = second_page(world, ana)
        answers = [user.post("/login/codigo", codigo="000000", **hidden).status_code for _ in range(12)]
        assert set(answers) == {422, 429} and answers[-1] == 429
    finally:
        world.close()


@pytest.mark.parametrize("role", [Role.STAFF, Role.ADMIN])
def test_it_can_be_demanded_of_staff(tmp_path: Path, database_url: str, role: Role) -> None:
    world = build_world(settings_for(database_url, tmp_path, staff_second_factor=True))
    try:
        staff = world.somebody_with(role)
        refused = staff.get("/v2/whatsapp/messages/1")
        assert refused.status_code == 403
        assert refused.json()["errors"][0]["code"] == "falta_segundo_factor"
        app, _ = set_up(world, staff)
        world.clock.move(seconds=30)
        body = {"correo": staff.correo, "clave": CLAVE, "codigo": app.at(world.clock.now())}
        token = world.client.post("/v2/auth/login", json=body).json()["data"]["attributes"]["token"]
        allowed = world.client.get("/v2/whatsapp/messages/1", headers={"Authorization": f"Bearer {token}"})
        assert allowed.status_code == 404
        assert world.register().get("/v2/auth/me").status_code == 200, "owners choose for themselves"
    finally:
        world.close()
