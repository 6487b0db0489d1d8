"""The pages of emergencies in a real browser: they show at once what happens, and nobody loses her place."""

from typing import TYPE_CHECKING

import httpx
import pytest

from tests.processes import Server
from tests.web.browsing import Visitor, until
from tests.web.console.test_browser_console import log_in, must_be_walked, must_fit
from tests.web.sticker.demo_people import DemoPeople, StickerOwner

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LISTENS = "performance.getEntriesByName(location.origin + '/admin/emergencias/aviso').length > 0"
SAYS = "([id, words]) => document.getElementById(id).textContent.includes(words)"
FOCUSED = "document.activeElement.getAttribute('href') || document.activeElement.id"


def alert_nobody(demo: Server, owner: StickerOwner) -> int:
    """An alert of a record without contacts: it goes to staff."""
    headers = {"Authorization": f"Bearer {owner.token}"}
    changed = demo.client.put(f"/v2/fmd/{owner.code}/emergencia", json={"contactos": []}, headers=headers)
    assert changed.status_code == 200, changed.text
    raised = demo.post("/v2/emergencies", {"code": owner.code, "tag": owner.tag})
    assert raised.status_code == 201, raised.text
    return int(raised.json()["data"]["id"])


def as_support(demo: Server, path: str, body: dict[str, str] | None = None) -> httpx.Response:
    login = demo.post("/v2/auth/login", {"correo": "soporte@demo.example", "clave": "demo-demo-demo"})
    return demo.post(path, body, login.json()["data"]["attributes"]["token"])


def test_the_list_and_the_page_show_at_once_what_happens(
    visitor: Visitor, demo: Server, demo_people: DemoPeople
) -> None:
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        page.goto(f"{visitor.address}/admin/emergencias")
        until(page, LISTENS)
        page.locator("#cuales").focus()
        number = alert_nobody(demo, demo_people.new_owner())
        until(page, SAYS, ["live", f"La más nueva es la {number}."])
        until(page, f"document.querySelector(\"#queue a[href*='/admin/emergencias/{number}']\") !== null")
        assert page.evaluate(FOCUSED) == "cuales"
        one = page.locator(f"#queue a[href*='/admin/emergencias/{number}']")
        one.focus()
        here = page.evaluate(FOCUSED)
        assert as_support(demo, f"/v2/emergencies/{number}/take").status_code == 200
        until(page, SAYS, ["queue", "Inés Soporte"])
        assert page.evaluate(FOCUSED) == here, "the focus stays on the same link"
        must_fit(page)
        one.press("Enter")
        page.wait_for_url(f"**/admin/emergencias/{number}")
        until(page, LISTENS)
        must_fit(page)
        assert page.get_by_role("button", name="La atiendo yo").count() == 0
        page.get_by_role("link", name="Escribir una nota").focus()
        assert as_support(demo, f"/v2/emergencies/{number}/hand-back", {"motivo": "Fin de turno"}).status_code == 200
        page.get_by_role("button", name="La atiendo yo").wait_for()
        until(page, SAYS, ["notes", "por qué la devolvió"])
        assert page.evaluate(FOCUSED).endswith("/notas")
        work_with_the_keyboard(page)


def work_with_the_keyboard(page: "Page") -> None:
    page.get_by_role("button", name="La atiendo yo").press("Enter")
    page.get_by_text("Usted la atiende desde ahora.").wait_for()
    must_fit(page)
    must_be_walked(page)
    page.get_by_role("link", name="Escribir una nota").press("Enter")
    must_fit(page)
    page.get_by_label("Nota").fill("La vecina abrió la puerta.")
    page.get_by_role("button", name="Escribir una nota").press("Enter")
    page.get_by_text("La nota quedó guardada.").wait_for()
    page.get_by_role("link", name="Abrir la nota: 2").press("Enter")
    must_fit(page)
    page.get_by_label("Motivo").fill("Sigo con la emergencia de la vecina")
    page.get_by_role("button", name="Abrir la nota").press("Enter")
    page.get_by_text("La vecina abrió la puerta.").wait_for()
    must_fit(page)
    page.get_by_role("link", name="Volver").press("Enter")
    page.get_by_role("link", name="Devolverla").press("Enter")
    must_fit(page)
    page.get_by_label("Motivo").fill("Termina mi turno")
    page.get_by_role("button", name="Devolverla").press("Enter")
    page.get_by_text("nadie la atiende").wait_for()
    desk = page.get_by_role("link", name="Abrir su conversación en la mesa de ayuda")
    desk.click()
    page.wait_for_url("**/sandbox#mesa-*")
    assert page.evaluate("document.querySelector(location.hash) !== null")


def test_without_scripts_a_link_loads_it_again(visitor: Visitor) -> None:
    with visitor.at("/login", width=320, scripts=False) as page:
        log_in(page, visitor.address)
        page.goto(f"{visitor.address}/admin/emergencias?cuales=terminadas")
        page.get_by_role("link", name="Cargar otra vez").click()
        assert page.url.endswith("/admin/emergencias?cuales=terminadas")
        assert page.locator("meta[http-equiv]").count() == 0
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 320
