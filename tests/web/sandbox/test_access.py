"""Who may use the phones of the sandbox page, what it shows without a sandbox, and how it learns of changes."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from ficha.web.sandbox.bubbles import bubbles_of
from ficha.web.sandbox.phones import anchor_of
from tests.web.sandbox.test_phones import MARIA, PERSON, SAME_ORIGIN, only_form, page_of, send_by_platform, submit
from tests.world import World, build_world, settings_for


@contextmanager
def other_server(answer: bytes) -> Iterator[tuple[str, list[str]]]:
    """A server on this machine that is not the sandbox: its address, and the paths it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def do_POST(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


@contextmanager
def world_sending_to(url: str, database_url: str, folder: Path) -> Iterator[World]:
    world = build_world(settings_for(database_url, folder, whatsapp_base_url=url))
    yield world
    world.close()


def test_the_version_changes_with_every_message_and_every_status(world: World) -> None:
    def version(seen: str = "") -> str:
        return str(world.client.get("/sandbox/news", params={"seen": seen}).json()["news"])

    before = version()
    assert version(before) == before and f'data-news="{before}"' in page_of(world)
    wamid = world.platform.receive(from_=f"+{MARIA}", text="Hola")
    written = version(before)
    assert written != before and version(written) == written
    world.platform.call(
        lambda platforms: platforms.whatsapp.mark_chat_read(platforms.whatsapp.chats.messages[wamid].person)
    )
    assert version(written) == written
    send_by_platform(world, type="text", text={"body": "Buenas"})
    world.platform.wait_until_idle()
    assert version(written) != written and version("1.2") == version() == version("٣.a.b")


def test_the_forms_keep_the_language(world: World) -> None:
    page = world.client.get("/sandbox", params={"l": "en"}).text
    form = only_form(page, "nuevo")
    answer = world.client.post(
        form.action,
        data=form.fields | {"numero": f"+{MARIA}", "texto": "Hi"},
        headers=SAME_ORIGIN,
        follow_redirects=False,
    )
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/sandbox?l=en#{anchor_of(PERSON)}"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://testserver.elsewhere.example"},
        SAME_ORIGIN | {"Sec-Fetch-Site": "cross-site"},
        SAME_ORIGIN | {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_another_site_cannot_write_in_a_contact_s_name(world: World, headers: dict[str, str]) -> None:
    form = {"accion": "nuevo", "numero": f"+{MARIA}", "texto": "Hola"}
    answer = world.client.post("/sandbox", data=form, headers=headers)
    assert answer.status_code == 419
    assert world.platform.call(lambda platforms: len(platforms.whatsapp.chats.messages)) == 0


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "form",
    [
        {"accion": "otra"},
        {},
        {"accion": "texto", "texto": "Hola", "persona": f"+{MARIA}"},
        {"accion": "boton", "persona": PERSON, "tipo": "system"},
    ],
)
def test_an_unknown_form_is_refused(world: World, form: dict[str, str]) -> None:
    assert world.client.post("/sandbox", data=form, headers=SAME_ORIGIN).status_code == 400


def test_when_the_sandbox_is_off_the_page_says_what_to_do(world: World) -> None:
    world.platform.receive(from_=f"+{MARIA}", text="Hola")
    form = only_form(page_of(world), "texto")
    before = world.client.get("/sandbox/news").json()
    world.platform.stop()
    page = page_of(world)
    assert "<code>ficha sandbox</code>" in page and "Hola" not in page
    assert world.client.get("/sandbox/news").json() != before
    answer = submit(world, form, texto="¿Hola?")
    assert answer.status_code == 200 and answer.url.fragment == "phones"


def test_production_takes_no_form(hidden: World) -> None:
    for body in ({"accion": "nuevo"}, {}):
        assert hidden.client.post("/sandbox", data=body, headers=SAME_ORIGIN).status_code == 404


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("answer", [b"<html>Hola</html>", b"[]", b"{}", b'{"version": 7, "chats": 3}'])
def test_another_server_at_that_address_is_no_sandbox(database_url: str, tmp_path: Path, answer: bytes) -> None:
    with other_server(answer) as (url, _), world_sending_to(url, database_url, tmp_path) as world:
        assert "<code>ficha sandbox</code>" in page_of(world)


def test_the_version_is_asked_for_without_the_chats(database_url: str, tmp_path: Path) -> None:
    """Chats are fetched for the page only: given the version that was seen, the sandbox answers in one line."""
    answer = b'{"version": 12, "changed": false}'
    with other_server(answer) as (url, asked), world_sending_to(url, database_url, tmp_path) as world:
        seen = world.client.get("/sandbox/news").json()["news"]
        assert seen.startswith("12.")
        assert world.client.get("/sandbox/news", params={"seen": seen}).json()["news"] == seen
        assert asked == ["/_sandbox/state", "/_sandbox/state?since=12"]


def test_a_platform_that_is_not_on_this_machine_is_never_asked(database_url: str, tmp_path: Path) -> None:
    with other_server(b"{}") as (url, asked):
        # An address that is answered and yet is not among this machine's own names.
        elsewhere = url.replace("127.0.0.1", "0.0.0.0")
        with world_sending_to(elsewhere, database_url, tmp_path) as world:
            page = page_of(world)
            assert "<code>FICHA_WHATSAPP_BASE_URL</code>" in page and "<form" not in page
            form = {"accion": "nuevo", "numero": f"+{MARIA}", "texto": "Hola"}
            assert world.client.post("/sandbox", data=form, headers=SAME_ORIGIN).url.fragment == "phones"
            assert world.client.get("/sandbox/news").status_code == 200
    assert asked == []


def test_an_address_that_a_browser_would_run_is_no_link() -> None:
    message = {
        "id": "wamid.1",
        "direction": "out",
        "type": "template",
        "at": "2026-11-15T12:00:00+00:00",
        "text": "Hola",
        "location": None,
        "media": {"kind": "image", "link": "javascript:alert(1)"},
        "read_by_business": False,
        "statuses": [{"status": "read"}, {"status": "sent"}],
        "raw": {},
        "buttons": [
            {"kind": "url", "title": "Ver", "url": "javascript:alert(2)"},
            {"kind": "url", "title": "Llamar", "url": "tel:+58412"},
        ],
    }
    [bubble] = bubbles_of([message], 50)
    assert [button.kind for button in bubble.buttons] == ["label", "link"]
    assert bubble.file is not None and bubble.file["url"] == ""
    assert bubble.state == "read"


def test_it_answers_only_to_its_own_hosts(world: World) -> None:
    """A stranger's page can name our address as its own host, and would read this through somebody's browser."""
    for host in ("testserver", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"):
        assert world.client.get("/sandbox", headers={"Host": host}).status_code == 200, host
    for host in ("rebound.example", "rebound.example:8000", "localhost.rebound.example"):
        assert world.client.get("/sandbox", headers={"Host": host}).status_code == 404, host
        assert world.client.get("/sandbox/news", headers={"Host": host}).status_code == 404
        form = {"accion": "nuevo", "nombre": "Ana", "telefono": "4125551111"}
        assert world.client.post("/sandbox", data=form, headers=SAME_ORIGIN | {"Host": host}).status_code == 404
