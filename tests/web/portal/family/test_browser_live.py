"""A family's page that is open when something happens: it shows at once, leads on, and is read by everybody."""

from typing import TYPE_CHECKING

import pytest

from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor, until
from tests.web.portal.test_browser_pages import OPEN_ALL, SMALL, WIDTH
from tests.web.sticker.demo_people import DemoPeople, StickerOwner
from tests.world import CLAVE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

LISTENS = "performance.getEntriesByName(location.origin + '/app/aviso').length > 0"
SAYS = "([id, words]) => document.getElementById(id).textContent.includes(words)"


def log_in(page: "Page", owner: StickerOwner) -> None:
    me = owner.server.get("/v2/auth/me", owner.token).json()["data"]["attributes"]
    page.get_by_label("Correo").fill(me["correo"])
    page.get_by_label("Clave").fill(CLAVE)
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/app")


def reads_well(page: "Page") -> None:
    page.evaluate(OPEN_ALL)
    assert page.evaluate(WIDTH) <= 390, page.url
    assert page.evaluate(SMALL) == [], page.url
    assert violations(page) == [], page.url


def test_an_opening_and_an_alert_show_at_once_and_lead_to_the_emergency(
    visitor: Visitor, demo: Server, demo_people: DemoPeople
) -> None:
    owner = demo_people.new_owner()
    with visitor.at("/login", width=390) as page:
        log_in(page, owner)
        until(page, LISTENS)
        assert demo.get(owner.scanned).status_code == 200
        until(page, SAYS, ["live", "Alguien abrió ahora la ficha de Luis"])
        alert = {"code": owner.code, "tag": owner.tag, "position": {"lat": 10.48801, "lng": -66.87919}}
        assert demo.post("/v2/emergencies", alert).status_code == 201
        until(page, SAYS, ["live", "Emergencia: Luis"])
        reads_well(page)
        page.get_by_role("link", name="Ver la emergencia").click()
        page.wait_for_url("**/app/emergencias/*")
        # What the ladder does comes by itself.
        until(page, SAYS, ["news", "La hija recibió el aviso"])
        assert page.locator("#live .alarm").count() == 0
        reads_well(page)
        page.get_by_role("button", name="Voy en camino").click()
        until(page, SAYS, ["news", "va en camino"])
        # Another of the family ends it, and this page knows.
        [emergency] = owner.emergencies()
        ends = {"Authorization": f"Bearer {owner.token}"}
        demo.client.patch(f"/v2/emergencies/{emergency['id']}", json={"state": "resolved"}, headers=ends)
        until(page, SAYS, ["news", "La emergencia terminó"])
        until(page, "document.title.startsWith('La emergencia de Luis terminó')")
        assert "Este informe se queda aquí" in page.locator("#news").inner_text()
        reads_well(page)
        page.get_by_role("link", name="Todas las emergencias").click()
        page.wait_for_url("**/app/emergencias")
        reads_well(page)
        until(page, "!document.querySelector('main button') && !document.querySelector('#live .alarm')")
        page.goto(f"{visitor.address}/app/{owner.code}/personas")
        reads_well(page)
        page.goto(f"{visitor.address}/app/{owner.code}/simulacro")
        page.get_by_role("button", name="Hacer el simulacro").click()
        page.wait_for_url("**/simulacro/*")
        reads_well(page)
        turn_notifications_on_and_off(page, visitor.address)


# Chromium on its own reaches no push service: what it would give is put there.
SUBSCRIBES = """(() => {
  const key = "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM";
  const endpoint = "https://fcm.googleapis.com/fcm/send/dK7mQx:APA91bH";
  const given = { endpoint, unsubscribe: async () => { sessionStorage.removeItem("on"); return true; },
    toJSON: () => ({ endpoint, keys: { p256dh: key, auth: "8eDyX_uCN0XRhSbY5hs7Hg" } }) };
  PushManager.prototype.subscribe = async (asked) => {
    if (asked.applicationServerKey.length !== 65) throw new Error("no key");
    sessionStorage.setItem("on", "1");
    return given;
  };
  PushManager.prototype.getSubscription = async () => (sessionStorage.getItem("on") ? given : null);
})()"""


def turn_notifications_on_and_off(page: "Page", address: str) -> None:
    page.context.grant_permissions(["notifications"])
    page.add_init_script(SUBSCRIBES)
    page.goto(f"{address}/app/mi-cuenta/avisos")
    page.get_by_role("button", name="Activar en este dispositivo").click()
    page.wait_for_url("**/avisos?hecho=activado")
    page.locator("li.card").wait_for()
    reads_well(page)
    page.get_by_role("button", name="Desactivar en este dispositivo").click()
    page.wait_for_url("**/avisos?hecho=quitado")
    assert page.locator("li.card").count() == 0
    page.get_by_role("button", name="Activar en este dispositivo").wait_for()
