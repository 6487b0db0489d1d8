"""A stranger scans a sticker and the family answers, in a real browser, with scripts and without."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.web.browsing import Visitor, reload_until_shown
from tests.web.sticker.demo_people import DemoPeople, StickerOwner, sandbox_phone

pytestmark = pytest.mark.browser

HERE: dict[str, Any] = {
    "geolocation": {"latitude": 10.4806, "longitude": -66.9036, "accuracy": 25},
    "permissions": ["geolocation"],
}


def answer_as_daughter(visitor: Visitor, person: StickerOwner, button: str) -> str:
    """On her phone in the sandbox. Gives what the message said."""
    with visitor.at("/sandbox") as page:
        hers = sandbox_phone(page, person.contact_phone)
        asked = reload_until_shown(page, hers.locator(".ours .said", has_text="Luis puede necesitar ayuda"))
        said = asked.first.inner_text()
        hers.get_by_role("button", name=button).click()
        hers.locator(".theirs .said", has_text=button).wait_for()
    return said


@pytest.mark.parametrize("case", [str.upper, str.lower], ids=["printed", "lower"])
def test_from_a_scan_to_the_family(visitor: Visitor, demo_people: DemoPeople, case: Any) -> None:
    """In capitals as the QR has it, or as somebody passed the link on."""
    person = demo_people.new_owner()
    with visitor.at(case(person.scanned), width=390, **HERE) as page:
        assert page.locator("main > *").first.get_attribute("class") == "stop"
        assert page.locator(".stop li").first.inner_text() == "Toma anticoagulante: Warfarina"
        page.evaluate("window.stayed = true")
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("Recibimos su aviso").wait_for()
        assert page.evaluate("document.activeElement.className") == "alert", "a screen reader hears it"
        page.locator(".alert li", has_text="la hija").first.wait_for()
        said = answer_as_daughter(visitor, person, "Voy en camino")
        assert "10.4806,-66.9036" in said and "25 m" in said
        page.locator(".alert li", has_text="La hija viene en camino").wait_for()
        assert page.evaluate("window.stayed"), "it was never loaded again"
        assert page.locator(".stop").is_visible()
    [emergency] = person.emergencies()
    assert emergency["attributes"]["state"] == "acknowledged"


def test_news_that_were_refused_are_asked_for_again(visitor: Visitor, demo_people: DemoPeople) -> None:
    """A server that restarts behind its proxy answers 503, after which a browser by itself would never ask again."""
    person = demo_people.new_owner()
    refused: list[str] = []

    def refuse_once(route: Any) -> None:
        if refused:
            route.continue_()
        else:
            refused.append(route.request.url)
            route.fulfill(status=503)

    with visitor.at(person.scanned, width=390, service_workers="block") as page:
        page.route("**/vivo", refuse_once)
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("La hija recibió el aviso por WhatsApp").wait_for()
    assert refused


def test_a_position_that_comes_late_is_sent_after_the_alert(visitor: Visitor, demo_people: DemoPeople) -> None:
    """The permission was given when the alert had gone out already."""
    person = demo_people.new_owner()
    late = "setTimeout(done, 5000, { coords: { latitude: 10.4806, longitude: -66.9036, accuracy: 18 } })"
    with visitor.at("/health/live", width=390, **HERE) as page:
        # Before the page's own script: what is evaluated afterwards, its policy forbids.
        page.add_init_script(f"navigator.geolocation.getCurrentPosition = (done) => {late}")
        page.goto(visitor.address + person.scanned)
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("Buscando su ubicación").wait_for()
        page.get_by_text("Recibimos su aviso").wait_for()
        page.get_by_text("Ubicación enviada (±18 m)").wait_for()


def test_without_scripts_the_page_brings_the_answer_by_itself(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with visitor.at(person.scanned, width=390, scripts=False, **HERE) as page:
        assert page.locator("main > *").first.get_attribute("class") == "stop"
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("Recibimos su aviso").wait_for()
        assert "sin ubicación" in answer_as_daughter(visitor, person, "No puedo")
        page.get_by_text("Hija no puede venir").wait_for()
        assert page.locator(".stop").is_visible()


def test_without_a_position_the_family_is_alerted_all_the_same(visitor: Visitor, demo_people: DemoPeople) -> None:
    """The browser was told never to say where it is."""
    person = demo_people.new_owner()
    with visitor.at(person.scanned, width=390) as page:
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("Recibimos su aviso").wait_for()
    assert len(person.emergencies()) == 1


def test_a_typed_code_alerts_and_asks_for_nothing_that_is_not_there(visitor: Visitor, demo_people: DemoPeople) -> None:
    """The script of the page is the same; a code alone has no live news and nothing to keep."""
    person = demo_people.new_owner()
    asked: list[str] = []
    with visitor.at("/", width=390, **HERE) as page:
        page.on("response", lambda answer: asked.append(f"{answer.status} {urlsplit(answer.url).path}"))
        page.goto(f"{visitor.address}/e/{person.code}")
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text("Aviso solicitado").wait_for()
        page.wait_for_timeout(300)
        assert page.evaluate("navigator.serviceWorker.getRegistrations().then((found) => found.length)") == 0
    assert [one for one in asked if "/e/" in one] == [f"200 /e/{person.code}", f"200 /e/{person.code}/avisar"]
    assert len(person.emergencies()) == 1


def test_more_data_opens_with_a_name_and_a_reason(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with visitor.at(person.scanned, width=390) as page:
        page.get_by_text("Ver más datos").click()
        page.get_by_label("Su nombre o credencial").fill("Dra. Gil")
        page.get_by_label("Motivo").fill("Caída")
        page.get_by_role("button", name="Abrir más datos").click()
        page.get_by_text("Está viendo más datos").wait_for()
