"""Whoever is with a person and her daughter write to each other, in a real browser, with scripts and without."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.web.axe import violations
from tests.web.browsing import Visitor, reload_until_shown
from tests.web.sticker.demo_people import DemoPeople, StickerOwner, sandbox_phone

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OPEN = "Escribir a la familia o dejar su teléfono"
TYPED, CALLED = "0424 333 2211", "+584243332211"


def write_as_daughter(page: "Page", person: StickerOwner, words: str) -> None:
    """On her phone in the sandbox."""
    hers = sandbox_phone(page, person.contact_phone)
    if hers.get_attribute("open") is None:
        hers.locator("summary").first.click()
    hers.get_by_label("Responder como").fill(words)
    hers.get_by_role("button", name="Enviar").first.click()
    hers.locator(".theirs .said", has_text=words).wait_for()


def test_a_conversation_with_scripts_and_then_without(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    with visitor.at(person.scanned, width=390) as page, visitor.at("/sandbox") as phones:
        assert page.locator("#relay, #place").count() == 0
        assert not page.get_by_text("No cierre la página").is_visible(), "there is nobody to write to before the alert"
        page.get_by_role("button", name="Avisar a la familia").click()
        page.get_by_text(OPEN).click()
        page.get_by_label("Su mensaje").fill("No despierta")
        page.get_by_role("button", name="Enviar a la familia").click()
        page.locator("#relay li", has_text="Usted: «No despierta»").wait_for()
        hers = sandbox_phone(phones, person.contact_phone)
        asked = reload_until_shown(phones, hers.locator(".ours .said", has_text="escribe: «No despierta»"))
        assert "Quien está con Luis" in asked.first.inner_text()
        page.get_by_text(OPEN).click()
        page.get_by_label("Su mensaje").fill("a medio escribir")
        write_as_daughter(phones, person, "¿Dónde están?")
        page.locator("#relay li", has_text="La hija: «¿Dónde están?»").wait_for()
        assert page.get_by_label("Su mensaje").input_value() == "a medio escribir", "news do not take what is typed"
        page.get_by_label("Su mensaje").fill("")
        page.get_by_label("Su teléfono").fill("123")
        page.get_by_role("button", name="Enviar a la familia").click()
        page.get_by_text("A ese número no se puede llamar").wait_for()
        assert violations(page) == []
        page.get_by_label("Su teléfono").fill(TYPED)
        page.get_by_role("button", name="Enviar a la familia").click()
        page.locator("#relay li", has_text="Usted dejó su teléfono").wait_for()
        assert violations(page) == [] and CALLED not in page.content()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        reload_until_shown(phones, hers.locator(".ours .said", has_text=CALLED))
        link = hers.locator("a[href*='/a/']").first.get_attribute("href") or ""
    with visitor.at(re.sub(r"^https?://[^/]+", "", link), width=390, scripts=False) as answer:
        assert answer.locator(f"a[href='tel:{CALLED}']").is_visible()
        answer.get_by_label("Su mensaje").fill("Pónganlo de lado")
        answer.get_by_role("button", name="Enviar", exact=True).click()
        answer.get_by_text("Usted: «Pónganlo de lado»").wait_for()
    with visitor.at(person.scanned, width=390, scripts=False) as page:
        page.get_by_text("La hija: «Pónganlo de lado»").wait_for()
        assert not page.get_by_label("Su mensaje").is_visible(), "it reloads, and could not be typed into"
        page.get_by_role("link", name=OPEN).click()
        assert page.locator("meta[http-equiv]").count() == 0
        page.get_by_label("Su mensaje").fill("Ya está de lado")
        page.get_by_role("button", name="Enviar a la familia").click()
        page.get_by_text("Usted: «Ya está de lado»").wait_for()
    [emergency] = person.emergencies()
    with visitor.at(person.scanned, width=390) as page:
        page.get_by_text(OPEN).wait_for()
        change = {"state": "resolved"}
        path, headers = f"/v2/emergencies/{emergency['id']}", {"Authorization": f"Bearer {person.token}"}
        assert person.server.client.patch(path, json=change, headers=headers).status_code == 200
        page.locator(".alert b", has_text="La emergencia terminó").wait_for()
        page.locator("#say").wait_for(state="detached")
        assert page.locator("#relay").count() == 0
