"""A family's page that is open when something happens: it shows at once, leads on, and is read by everybody."""

import re
from typing import TYPE_CHECKING

import pytest

from ficha.web.kit.texts import page_texts
from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor, reload_until_shown, until
from tests.web.journeys import JOURNEYS, Journey
from tests.web.portal.test_browser_pages import OPEN_ALL, SMALL, WIDTH
from tests.web.sticker.demo_people import DemoPeople, StickerOwner, sandbox_phone
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
    page.wait_for_load_state()
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


def must_suit(page: "Page", journey: Journey) -> None:
    """Nothing is wider than the phone; axe, which is a script, has nothing to say of what is folded either."""
    page.wait_for_load_state()
    page.evaluate(OPEN_ALL)
    assert page.evaluate(WIDTH) <= journey.width, page.url
    assert page.locator("h1").count() == 1, page.url
    assert not journey.scripts or violations(page) == [], page.url


@JOURNEYS
def test_an_emergency_from_the_scan_to_its_report(visitor: Visitor, demo_people: DemoPeople, journey: Journey) -> None:
    """On every phone: the stranger writes, the contact is told what is shown of her number, the family reads it all."""
    owner, asked, said = demo_people.new_owner(), f"l={journey.language}", "No despierta"
    with visitor.at(f"{owner.scanned}?{asked}", **journey.browsing) as page, visitor.at("/sandbox") as phones:
        page.locator("form[action$='/avisar'] button").first.click()
        page.locator("#relay").wait_for()
        page.goto(f"{visitor.address}{owner.scanned}?escribir=1&{asked}")
        page.locator("#mensaje").fill(said)
        page.locator("form[action$='/mensaje'] button").first.click()
        page.locator("#relay li", has_text=said).wait_for()
        hers = sandbox_phone(phones, owner.contact_phone)
        reload_until_shown(phones, hers.locator(".ours .said", has_text=said))
        link = hers.locator("a[href*='/a/']").first.get_attribute("href") or ""
        page.goto(f"{visitor.address}{re.sub(r'^https?://[^/]+', '', link)}?{asked}")
        # Strangers may call her, so nobody is told that her number is hidden.
        sentence = page_texts("contact", "answer")["relay_number_R"].in_language(journey.language)
        assert sentence in page.locator("main").inner_text()
        must_suit(page, journey)
    with visitor.at(f"/login?{asked}&next=/app/emergencias", **journey.browsing) as page:
        me = owner.server.get("/v2/auth/me", owner.token).json()["data"]["attributes"]
        page.locator("[name=correo]").fill(me["correo"])
        page.locator("[name=clave]").fill(CLAVE)
        page.locator("main button[type=submit]").click()
        page.wait_for_url("**/app/emergencias*")
        must_suit(page, journey)
        page.locator("main a[href*='/app/emergencias/']").first.click()
        page.wait_for_url("**/app/emergencias/*")
        assert said in page.locator("#news").inner_text() and "WhatsApp" in page.locator("#news").inner_text()
        must_suit(page, journey)
        before = page.title()
        page.locator("button[value=terminada]").click()
        page.locator("#answer button").first.wait_for(state="detached")
        assert page.title() != before and said in page.locator("#news").inner_text()
        must_suit(page, journey)


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
