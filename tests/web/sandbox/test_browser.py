"""The phones of the sandbox page in a real browser: a message arrives, and somebody answers it by hand."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.jobs.queue import put
from tests import local_http
from tests.processes import Server
from tests.waiting import eventually
from tests.web.axe import COLOUR_RULES, violations
from tests.web.browsing import Visitor, address_of, reload_until_shown

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

LONG = "Un texto largo que sigue y sigue. " * 20 + "http://127.0.0.1/a/" + "x" * 120
SMALL_TARGETS = """[...document.querySelectorAll('button, input:not([type=hidden]), select, summary, .action')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 48)
  .map((one) => one.outerHTML.slice(0, 120))"""
SMALLEST = """Math.min(...[...document.querySelectorAll("body *")]
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
BUTTONS = [
    {"index": 0, "payload": "voy:17"},
    {"index": 1, "payload": "no:17"},
    {"index": 2, "text": "x7Kd2"},
]


@dataclass
class Setup:
    """A server with its sandbox, somebody of the staff, and a browser."""

    server: Server
    visitor: Visitor
    token: str

    @property
    def control(self) -> str:
        return f"{self.server.sandbox_url}/_sandbox"

    def alert(self, to: str) -> int:
        template = {"name": "alerta_emergencia", "language": "es", "body": ["Ana", "14:05", "Plaza Bolívar"]}
        body = {"to": to, "template": template | {"buttons": BUTTONS}}
        answer = self.server.post("/v2/whatsapp/messages/template", body, self.token)
        assert answer.status_code == 202, answer.text
        return int(answer.json()["data"]["id"])

    def state_of(self, message_id: int) -> dict[str, Any]:
        found: dict[str, Any] = self.server.get(f"/v2/whatsapp/messages/{message_id}", self.token).json()
        return found["data"]["attributes"]  # type: ignore[no-any-return]

    def add_waiting_job(self, kind: str) -> None:
        database = Database(Settings(_env_file=None, data_dir=Path(self.server.env["FICHA_DATA_DIR"])).database)
        with database.writing() as tx:
            put(tx, kind, {}, at=datetime.now(UTC) + timedelta(days=1), key=kind)
        database.close()

    def call_sandbox(self, method: str, path: str, body: Any) -> None:
        local_http.request(method, f"{self.control}/{path}", json=body).raise_for_status()


@pytest.fixture(scope="module")
def started(browser: "Browser", demo: Server) -> Iterator[Setup]:
    """The server is everybody's: its sandbox is left as it was found."""
    login = demo.post("/v2/auth/login", {"correo": "soporte@demo.example", "clave": "demo-demo-demo"})
    setup = Setup(demo, Visitor(browser, address_of(demo)), login.json()["data"]["attributes"]["token"])
    yield setup
    setup.call_sandbox("POST", "reset", {})


@pytest.fixture
def setup(started: Setup) -> Iterator[Setup]:
    started.call_sandbox("POST", "reset", {})
    started.visitor.faults.clear()
    yield started
    assert started.visitor.faults == []


def phone(page: "Page", name: str) -> "Locator":
    return page.locator("details.phone", has=page.get_by_role("heading", name=name))


def message_from_person(phone: "Locator", words: str) -> "Locator":
    """In a bubble of the person, and not in the JSON under it."""
    return phone.locator(".theirs .said", has_text=words)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_contact_answers_by_hand(setup: Setup, scripts: bool) -> None:
    number = "+584125550101" if scripts else "+584125550102"
    asked = setup.alert(number)
    with setup.visitor.at("/sandbox", width=390, scripts=scripts) as page:
        their_phone = phone(page, number)
        reload_until_shown(page, their_phone.get_by_text("Ana puede necesitar ayuda"))
        their_phone.get_by_role("button", name="Voy en camino").click()
        message_from_person(their_phone, "Voy en camino").wait_for()
        their_phone.get_by_label(f"Responder como {number}").fill("Llego en <b>diez</b> minutos")
        their_phone.get_by_role("button", name="Enviar", exact=True).click()
        message_from_person(their_phone, "Llego en <b>diez</b> minutos").wait_for()
        their_phone.get_by_text("Ubicación, lectura y entregas").click()
        their_phone.get_by_label("Latitud").fill("10,48")
        their_phone.get_by_role("button", name="Compartir").click()
        message_from_person(their_phone, "10.48, -66.9146").wait_for()
        their_phone.get_by_text("Ubicación, lectura y entregas").click()
        their_phone.get_by_role("button", name="Abrir el chat").click()
        their_phone.locator(".ours").get_by_text("leído").first.wait_for()
        eventually(lambda: setup.state_of(asked)["state"] == "read")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_delivery_fails_by_hand(setup: Setup, scripts: bool) -> None:
    setup.call_sandbox("PUT", "behaviour", {"statuses": "none"})
    number = "+584125550103" if scripts else "+584125550104"
    asked = setup.alert(number)
    with setup.visitor.at("/sandbox", width=390, scripts=scripts) as page:
        their_phone = phone(page, number)
        reload_until_shown(page, their_phone.get_by_text("aceptado"))
        their_phone.get_by_text("Detalle").click()
        assert '"alerta_emergencia"' in their_phone.locator("pre").inner_text()
        their_phone.get_by_label("Hacer que falle").select_option("131026")
        their_phone.get_by_role("button", name="Que falle").click()
        their_phone.get_by_text("falló (131026)").wait_for()
        eventually(lambda: setup.state_of(asked)["state"] == "failed")
        assert setup.state_of(asked)["error"]["code"] == 131026


def test_what_is_wrong_is_corrected_on_the_page(setup: Setup) -> None:
    with setup.visitor.at("/sandbox", width=390) as page:
        page.get_by_label("Número").fill("4125550105")
        page.get_by_label("Nombre").fill("María")
        page.get_by_label("Mensaje").fill("Hola")
        page.get_by_role("button", name="Enviar").click()
        page.get_by_role("link", name="Escriba el número con +").click()
        page.keyboard.press("Control+a")
        page.keyboard.type("+58 412 555 0105")
        page.get_by_role("button", name="Enviar").click()
        message_from_person(phone(page, "María"), "Hola").wait_for()
        assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Chat de María"


def test_the_page_says_when_somebody_wrote(setup: Setup) -> None:
    with setup.visitor.at("/sandbox") as page:
        setup.call_sandbox("POST", "messages", {"from": "+584125550106", "text": "Hola"})
        page.get_by_role("status").get_by_role("link", name="Hay novedades").wait_for()


def test_phones_with_long_messages_fit_the_screen(setup: Setup) -> None:
    for number in range(5):
        sender = {"from": f"+58412555020{number}", "name": f"Nombre largo de persona {number}"}
        setup.call_sandbox("POST", "messages", sender | {"text": LONG})
        setup.call_sandbox("POST", "messages", sender | {"text": "palabralarguisima" * 20})
        setup.call_sandbox("POST", "messages", sender | {"type": "document"})
    # Wider than the narrowest screen.
    setup.add_waiting_job("a_kind_of_job.with_a_name_that_is_long")
    with setup.visitor.at("/sandbox") as page:
        page.evaluate(OPEN_ALL)
        for width, scheme in product((320, 390, 1280), SCHEMES):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SMALL_TARGETS) == [], width
            assert page.evaluate(SMALLEST) >= 14, width
            if scheme == "light":
                assert violations(page, colours=width == 320) == [], width
            elif width == 320:
                assert violations(page, *COLOUR_RULES) == [], "in the dark"
