"""Passkeys: added with the clave, asked for after it, a way in of their own; caught and forged answers open nothing."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from tests.web.portal.account.software_key import SoftwareKey, base64url, options_in
from tests.web.portal.page_session import PageUser, hidden_in, logged_in
from tests.world import CLAVE, Person, World, build_world, settings_for

PATH = "/app/mi-cuenta/llaves"
WAY_IN = "/login/llave"


def add(user: PageUser, key: SoftwareKey, name: str = "mi teléfono") -> str:
    """Returns the page that answers: the recovery codes, with the first."""
    asked = user.submit(PATH, do="begin", nombre=name, clave=CLAVE)
    assert asked.status_code == 200
    hidden = hidden_in(asked.text)
    answer = user.post(PATH, **hidden | {"credencial": key.created(options_in(asked.text))})
    assert answer.status_code in (200, 303), answer.text
    return str(answer.text)


def way_in(world: World, user: PageUser, key: SoftwareKey, **how: object) -> tuple[dict[str, str], str]:
    """The login page's form with the key's answer."""
    world.clock.move(seconds=1)
    page = user.get("/login")
    return hidden_in(page.text), key.answered(options_in(page.text), **how)  # type: ignore[arg-type]


def second_step(world: World, person: Person) -> tuple[PageUser, str]:
    world.clock.move(seconds=1)
    user = PageUser(world)
    page = user.log_in(person)
    assert page.status_code == 200 and "Un paso más" in page.text
    return user, page.text


def test_a_passkey_is_added_used_listed_and_removed(world: World, ana: Person) -> None:
    user, key = logged_in(world, ana), SoftwareKey()
    assert user.submit(PATH, do="begin", nombre="x", clave="mala").status_code == 422
    assert user.submit(PATH, do="begin", nombre="  ", clave=CLAVE).status_code == 422
    codes = re.findall(r"<code>([a-z0-9]{10})</code>", add(user, key, "<b>mi teléfono"))
    assert len(codes) == 10
    assert ana.get("/v2/auth/me").status_code == 401, "sessions that were opened without it are closed"
    assert "&lt;b&gt;mi teléfono" in user.get(PATH).text and "sin usar" in user.get(PATH).text
    # As an own way in: neither correo nor clave is sent.
    other = PageUser(world)
    hidden, answer = way_in(world, other, key)
    before = other.client.cookies["ficha_session"]
    assert other.post(WAY_IN, **hidden, credencial=answer, next="/app/nueva").headers["location"] == "/app/nueva"
    assert other.client.cookies["ficha_session"] != before
    assert "usada el" in other.get(PATH).text
    # As a second factor, for which the device need not know the person.
    third, html = second_step(world, ana)
    assert [one["type"] for one in options_in(html)["allowCredentials"]] == ["public-key"]
    answer = key.answered(options_in(html), verified=False)
    assert third.post("/login/codigo", **hidden_in(html), credencial=answer).headers["location"] == "/app"
    # A recovery code stands in for it, on pages and in the API.
    refused = world.login(ana.correo)
    assert refused.json()["errors"][0]["code"] == "segundo_factor"
    body = {"correo": ana.correo, "clave": CLAVE, "codigo": codes[0]}
    assert world.client.post("/v2/auth/login", json=body).status_code == 200
    [number] = re.findall(r'value="remove:(\d+)"', third.get(PATH).text)
    assert third.submit(PATH, do=f"remove:{number}", clave="mala").status_code == 422
    assert third.submit(PATH, do=f"remove:{number}", clave=CLAVE).status_code == 303
    assert "Todavía no tiene ninguna" in third.get(PATH).text
    hidden, answer = way_in(world, other, key)
    assert other.post(WAY_IN, **hidden, credencial=answer).status_code == 422
    assert world.login(ana.correo).status_code == 200


@pytest.mark.parametrize("counts", [True, False])
def test_what_was_caught_or_forged_opens_nothing(world: World, ana: Person, counts: bool) -> None:
    key, strange = SoftwareKey(counts), SoftwareKey()
    add(logged_in(world, ana), key)
    luis = world.register()
    add(logged_in(world, luis), strange)

    def refused(user: PageUser, hidden: dict[str, str], answer: str) -> None:
        assert user.post(WAY_IN, **hidden, credencial=answer).status_code == 422
        assert user.get("/app").status_code == 303

    user = PageUser(world)
    hidden, answer = way_in(world, user, key)
    refused(PageUser(world), hidden, answer)  # Another browser, which has the form but not the cookie.
    thief = PageUser(world)
    theirs = hidden_in(thief.get("/login").text)
    refused(thief, theirs, answer)
    secret = user.client.cookies["ficha_session"]
    assert user.post(WAY_IN, **hidden, credencial=answer).status_code == 303
    thief.client.cookies.set("ficha_session", secret)  # Even the same browser: each answer counts once.
    refused(thief, hidden, answer)
    user = PageUser(world)
    refused(user, *way_in(world, user, key, origin="https://evil.example"))
    refused(user, *way_in(world, user, key, verified=False))
    hidden, answer = way_in(world, user, key)
    world.clock.move(minutes=6)
    refused(user, hidden, answer)
    if counts:  # A copy of the key, made before it was last used.
        known, key.count = key.count, 0
        refused(user, *way_in(world, user, key))
        key.count = known
    hidden, answer = way_in(world, user, key)
    said = json.loads(answer)
    forged = json.loads(way_in(world, user, strange)[1])
    refused(user, hidden, json.dumps(said | {"id": base64url(strange.id), "rawId": base64url(strange.id)}))
    refused(
        user, hidden, json.dumps(said | {"response": said["response"] | {"signature": forged["response"]["signature"]}})
    )
    for rubbish in (
        "",
        "{",
        "[]",
        "{}",
        "null",
        json.dumps(said | {"rawId": 7}),
        json.dumps(said | {"id": "x"}),
        "[" * 9000,
    ):
        refused(user, hidden, rubbish)
    # Somebody else's passkey is no second factor of hers; nor does one for one purpose serve for another.
    user, html = second_step(world, ana)
    options, hidden = options_in(html), hidden_in(html)
    assert user.post("/login/codigo", **hidden, credencial=strange.answered(options)).status_code == 422
    assert user.post(WAY_IN, **hidden, credencial=key.answered(options)).status_code == 422
    assert user.post("/login/codigo", **hidden, credencial=key.answered(options)).status_code == 303


def test_an_answer_adds_a_passkey_once_and_only_after_the_clave(world: World, ana: Person) -> None:
    user, key = logged_in(world, ana), SoftwareKey()
    asked = user.submit(PATH, do="begin", nombre="uno", clave=CLAVE)
    hidden, options = hidden_in(asked.text), options_in(asked.text)
    assert options["rp"]["id"] == "testserver" and ana.correo not in str(options["user"]["id"])
    login = options_in(user.get("/login").text) | {"rp": options["rp"]}
    for wrong in (key.created(options, "https://evil.example"), key.created(login), key.answered(login), "{}"):
        assert user.post(PATH, **hidden, credencial=wrong).status_code == 422
    answer = key.created(options)
    other = logged_in(world, world.register())
    theirs = hidden_in(other.get(PATH).text)
    assert other.post(PATH, **theirs | {"do": "add", "nombre": "x", "credencial": answer}).status_code == 422
    assert user.post(PATH, **hidden, credencial=answer).status_code == 200
    assert user.post(PATH, **hidden, credencial=answer).status_code == 422
    add(other, SoftwareKey())
    again = other.submit(PATH, do="begin", nombre="mía", clave=CLAVE)
    stolen = key.created(options_in(again.text))
    assert other.post(PATH, **hidden_in(again.text), credencial=stolen).status_code == 422
    for _ in range(9):
        world.clock.move(seconds=1)
        add(user, SoftwareKey())
    world.clock.move(seconds=1)
    asked = user.submit(PATH, do="begin", nombre="once", clave=CLAVE)
    eleventh = SoftwareKey().created(options_in(asked.text))
    assert user.post(PATH, **hidden_in(asked.text), credencial=eleventh).status_code == 422


@pytest.mark.oldest_postgresql
def test_a_challenge_adds_one_key(world: World, ana: Person) -> None:
    """Whoever watches the page that adds a key cannot add his own with the same challenge: not when the first key was
    used meanwhile, nor when it was removed."""
    user, first = logged_in(world, ana), SoftwareKey()
    older = user.submit(PATH, do="begin", nombre="antes", clave=CLAVE)
    world.clock.move(seconds=1)
    asked = user.submit(PATH, do="begin", nombre="uno", clave=CLAVE)
    hidden, options = hidden_in(asked.text), options_in(asked.text)

    def second_is_refused() -> None:
        answer = SoftwareKey().created(options)
        assert user.post(PATH, **hidden, credencial=answer).status_code == 422

    assert user.post(PATH, **hidden, credencial=first.created(options)).status_code == 200
    second_is_refused()
    other = PageUser(world)
    login, answer = way_in(world, other, first)
    assert other.post(WAY_IN, **login, credencial=answer).status_code == 303
    second_is_refused()
    late = SoftwareKey().created(options_in(older.text))
    assert user.post(PATH, **hidden_in(older.text), credencial=late).status_code == 422
    [number] = re.findall(r'value="remove:(\d+)"', user.get(PATH).text)
    assert user.submit(PATH, do=f"remove:{number}", clave=CLAVE).status_code == 303
    second_is_refused()
    world.clock.move(seconds=1)
    add(user, SoftwareKey())


def test_of_two_answers_to_a_challenge_at_once_one_adds_a_key(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    add(user, SoftwareKey())
    for _ in range(3):
        world.clock.move(seconds=1)
        asked = user.submit(PATH, do="begin", nombre="dos", clave=CLAVE)
        hidden, options = hidden_in(asked.text), options_in(asked.text)
        both = Barrier(2)

        def answer(_number: int, hidden: dict[str, str] = hidden, options: Any = options, both: Barrier = both) -> int:
            twin = PageUser(world)
            twin.client.cookies.update(user.client.cookies)
            created = SoftwareKey().created(options)
            both.wait(60)
            return twin.post(PATH, **hidden, credencial=created).status_code

        with ThreadPoolExecutor(2) as threads:
            assert sorted(threads.map(answer, range(2))) == [303, 422]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_it_is_enough_of_what_staff_must_have_and_guessing_is_limited(tmp_path: Path, database_url: str) -> None:
    settings = {"staff_second_factor": True, "rate_limits": "on", "limit_login": "100/minute"}
    world = build_world(settings_for(database_url, tmp_path, **settings))
    try:
        staff, key = world.somebody_with(Role.STAFF), SoftwareKey()
        user = logged_in(world, staff)
        led = user.get("/admin").headers["location"]
        assert led.startswith("/app/mi-cuenta/segundo") and "pide un segundo factor" in user.get(led).text
        add(user, key)
        assert user.get("/admin").status_code == 200
        user, html = second_step(world, staff)
        hidden, options = hidden_in(html), options_in(html)
        wrong = SoftwareKey(id=key.id).answered(options)
        answers = [user.post("/login/codigo", **hidden, credencial=wrong).status_code for _ in range(12)]
        assert set(answers) == {422, 429} and answers[-1] == 429
    finally:
        world.close()
