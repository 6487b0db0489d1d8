"""The sandbox shows what would have reached people, in development only."""

import pytest

from ficha.channels.mail import FolderMailer, Mail
from ficha.jobs.queue import put
from tests.world import Person, World


def test_a_mail_that_was_really_sent_is_shown(world: World, ana: Person) -> None:
    world.client.post("/clave", data={"correo": ana.correo})
    waiting = world.client.get("/sandbox").text
    assert "correo.recuperacion" in waiting
    world.run_jobs()
    page = world.client.get("/sandbox").text
    assert "correo.recuperacion" not in page
    assert ana.correo in page
    assert "Elija una clave nueva" in page
    assert '<a href="http://testserver/clave/' in page
    assert "Message-ID:" in page


def test_the_version_changes_when_a_mail_comes(world: World, ana: Person) -> None:
    before = world.client.get("/sandbox/news").json()
    assert world.client.get("/sandbox/news").json() == before
    assert before["news"] in world.client.get("/sandbox").text
    world.client.post("/clave", data={"correo": ana.correo})
    world.run_jobs()
    assert world.client.get("/sandbox/news").json() != before


def test_markup_in_mails_is_shown_as_text(world: World) -> None:
    assert isinstance(world.parts.mailer, FolderMailer)
    text = 'Vea http://x.example/"><script>alert(1)</script> & javascript:alert(2)'
    world.parts.mailer.send(Mail("ana@ejemplo.com", "<img src=x onerror=alert(3)>", text, key="k"))
    page = world.client.get("/sandbox").text
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert '<a href="http://x.example/" rel="noreferrer">' in page
    assert 'href="javascript' not in page


def test_dead_jobs_are_listed(world: World) -> None:
    with world.parts.database.writing() as tx:
        put(tx, "no.existe", {})
    world.run_jobs()
    page = world.client.get("/sandbox").text
    assert "no.existe" in page
    assert "ficha jobs retry" in page


@pytest.mark.parametrize("path", ["/sandbox", "/sandbox/news"])
def test_production_has_no_sandbox(hidden: World, path: str) -> None:
    assert hidden.client.get(path).json()["errors"][0]["code"] == "no_encontrado"
