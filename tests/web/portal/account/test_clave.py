"""A person forgot her clave and gets a new one, with nothing but plain forms."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.world import CLAVE, Person, World, build_world, settings_for

NEW = "tres palabras nuevas"


def link_in_mail(world: World, to: str) -> str:
    mail = next(mail for mail in world.mails() if mail.to == to and "/clave/" in mail.text)
    found = re.search(r"http://testserver(/clave/\w+)", mail.text)
    assert found
    return found.group(1)


def ask(world: World, correo: str) -> str:
    """Asks for a link on the page, and takes it from the mail."""
    assert world.client.post("/clave", data={"correo": correo}).status_code == 200
    world.run_jobs()
    return link_in_mail(world, correo)


def test_the_whole_story(world: World, ana: Person) -> None:
    link = ask(world, ana.correo)
    page = world.client.get(link)
    assert page.status_code == 200
    assert page.headers["referrer-policy"] == "no-referrer"
    done = world.client.post(link, data={"clave": NEW})
    assert done.status_code == 200
    assert "Su clave cambió" in done.text
    assert world.login(ana.correo, NEW).status_code == 200
    assert world.login(ana.correo, CLAVE).status_code == 401
    assert ana.get("/v2/auth/me").status_code == 401
    world.run_jobs()
    assert "Su clave cambió" in [mail.subject for mail in world.mails()]
    # The link served once.
    dead = world.client.get(link)
    assert dead.status_code == 410
    assert "Este enlace ya no sirve" in dead.text
    assert world.client.post(link, data={"clave": "otra clave distinta"}).status_code == 410
    assert world.login(ana.correo, NEW).status_code == 200


def test_a_stranger_gets_the_same_page(world: World, ana: Person) -> None:
    known = world.client.post("/clave", data={"correo": ana.correo})
    unknown = world.client.post("/clave", data={"correo": "nadie@ejemplo.com"})
    assert known.status_code == unknown.status_code == 200
    assert known.text.replace(ana.correo, "X") == unknown.text.replace("nadie@ejemplo.com", "X")
    world.run_jobs()
    assert [mail.to for mail in world.mails()] == [ana.correo]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("typed", "sentence"),
    [("", "Escriba su correo"), ("no<b>es", "Escriba un correo completo"), ("a\0b@c.d", "Escriba un correo completo")],
)
def test_a_wrong_correo_is_told_twice_and_kept(client: TestClient, typed: str, sentence: str) -> None:
    page = client.post("/clave", data={"correo": typed})
    assert page.status_code == 422
    assert page.text.count(sentence) == 2
    assert '<a href="#correo">' in page.text
    assert 'aria-invalid="true"' in page.text
    assert "<b>es" not in page.text
    if typed == "no<b>es":
        assert 'value="no&lt;b&gt;es"' in page.text


@pytest.mark.parametrize(
    ("clave", "sentence"),
    [
        ("", "al menos 10 caracteres"),
        ("corta", "al menos 10 caracteres"),
        ("x" * 129, "como máximo 128"),
        ("con\0control dentro", "no se pueden escribir"),
    ],
)
def test_a_wrong_clave_is_told_and_never_sent_back(world: World, ana: Person, clave: str, sentence: str) -> None:
    link = ask(world, ana.correo)
    page = world.client.post(link, data={"clave": clave})
    assert page.status_code == 422
    assert page.text.count(sentence) == 2
    assert "value=" not in page.text
    assert world.client.post(link, data={"clave": NEW}).status_code == 200


def test_a_link_dies_with_time(world: World, ana: Person) -> None:
    link = ask(world, ana.correo)
    world.clock.move(minutes=61)
    assert world.client.get(link).status_code == 410
    assert world.client.post(link, data={"clave": NEW}).status_code == 410


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("token", ["x", "%00", "%FF%FE", "%F0%9F%A6%86", "a" * 5000, "%3Cscript%3E", "a%3Fb"])
def test_an_odd_link_is_a_dead_link(client: TestClient, token: str) -> None:
    page = client.get(f"/clave/{token}")
    assert page.status_code == 410
    assert client.post(f"/clave/{token}", data={"clave": NEW}).status_code == 410
    assert "<script>" not in page.text


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"correo", "multipart/form-data"),
        (b"{}", "application/json"),
        (b"&".join(b"f%d=1" % n for n in range(500)), "application/x-www-form-urlencoded"),
        (b"\xff\xfe%ZZ=%", "application/x-www-form-urlencoded"),
    ],
)
def test_a_broken_form_is_no_crash(client: TestClient, body: bytes, kind: str) -> None:
    assert client.post("/clave", content=body, headers={"Content-Type": kind}).status_code in (400, 422)


def test_asking_too_often_keeps_what_was_typed(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "strict", rate_limits="on"))
    answers = [world.client.post("/clave", data={"correo": "ana@ejemplo.com"}) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert "demasiados intentos" in answers[-1].text
    assert 'value="ana@ejemplo.com"' in answers[-1].text
    assert int(answers[-1].headers["retry-after"]) > 0
    world.close()
