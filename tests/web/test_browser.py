"""What only a real browser can tell: widths, focus, targets, scripts on and off."""

import os
import re
from typing import TYPE_CHECKING

import pytest

from tests.web.axe import violations
from tests.web.browsing import Visitor, reload_until_shown

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

OUTLINE = """(() => {
  const at = document.activeElement, style = getComputedStyle(at);
  return at === document.body ? "3px solid" : `${style.outlineWidth} ${style.outlineStyle}`;
})()"""
SMALLEST = """Math.min(
  ...[...document.querySelectorAll("body *")].map((one) => parseFloat(getComputedStyle(one).fontSize))
)"""
SMALL_TARGETS = """[...document.querySelectorAll('button, input, textarea, summary, nav a, .action, .ways a')]
  .filter((one) => one.ariaHidden !== "true" && one.checkVisibility() && one.getBoundingClientRect().height < 48)
  .map((one) => one.outerHTML.slice(0, 120))"""
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
# The operations of /docs are drawn alike, and axe takes a while for each: it judges one in ten.
LEAVE_FEW = (
    "document.querySelectorAll('details.operation').forEach((one, number) => { if (number % 10) one.remove(); })"
)
PAGES = ("/", "/docs", "/sandbox", "/clave", "/clave/nada", "/nada")


def test_every_page_is_used_by_keyboard_reads_and_fits(visitor: Visitor) -> None:
    """One load of each: that takes longer than all questions about it."""
    for path, page in visitor.each(PAGES):
        page.set_viewport_size({"width": 1280, "height": 800})
        the_keyboard_shows_where_it_is(page, path)
        page.set_viewport_size({"width": 390, "height": 800})
        assert page.evaluate(SMALL_TARGETS) == [], path
        assert page.evaluate("getComputedStyle(document.body).fontSize") == "17px"
        assert page.evaluate(SMALLEST) >= 14, path
        page.evaluate(OPEN_ALL)
        for width in (320, 390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        page.evaluate(LEAVE_FEW)
        assert violations(page) == [], path


def test_all_of_the_reference_is_good_for_everybody(visitor: Visitor) -> None:
    """Every operation of it, opened, on a desk; in a storm on a phone, too."""
    for width in (1280, 390) if "FICHA_STORM" in os.environ else (1280,):
        with visitor.at("/docs", width=width) as page:
            page.evaluate(OPEN_ALL)
            assert violations(page, colours=width == 1280) == [], width


def the_keyboard_shows_where_it_is(page: "Page", path: str) -> None:
    """Down the page by day, and back up by night."""
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate(OUTLINE) == "3px solid", path
    page.emulate_media(color_scheme="dark")
    for _ in range(8):
        assert page.evaluate(OUTLINE) == "3px solid", path
        page.keyboard.press("Shift+Tab")
    page.emulate_media(color_scheme="light")


def test_operations_are_tried_and_found(visitor: Visitor) -> None:
    with visitor.at("/docs#welcome") as page:
        form = page.locator("#welcome form.try")
        form.get_by_role("button").click()
        form.locator(".outcome pre").wait_for()
        assert "200" in form.locator(".outcome b").inner_text()
        assert '"name": "Ficha"' in form.locator(".outcome pre").inner_text()
        # With a body, and with the token that it gives.
        page.goto(visitor.address + "/docs#login")
        login = page.locator("#login form.try")
        login.locator("textarea").fill('{"correo": "ana@demo.example", "clave": "demo-demo-demo"}')
        login.get_by_role("button").click()
        login.locator(".outcome pre").wait_for()
        found = re.search(r'"token": "([^"]+)"', login.locator(".outcome pre").inner_text())
        assert found
        page.goto(visitor.address + "/docs#me")
        me = page.locator("#me form.try")
        me.locator("[data-token]").fill(found.group(1))
        me.get_by_role("button").click()
        me.locator(".outcome pre").wait_for()
        assert "ana@demo.example" in me.locator(".outcome pre").inner_text()
        page.get_by_label("Buscar una operación").fill("post token")
        shown = page.locator(".operation:visible .path").all_inner_texts()
        assert shown == ["/v2/auth/tokens"]
        assert "Operaciones: 1" in page.locator("#found").inner_text()


def test_without_scripts_the_reference_still_reads(visitor: Visitor) -> None:
    with visitor.at("/docs", scripts=False, width=390) as page:
        assert not page.locator("form.try").first.is_visible()
        assert not page.locator("#filter").is_visible()
        page.locator(".operation summary").first.click()
        assert page.locator("#register").is_visible()


def test_without_scripts_a_clave_can_be_changed(visitor: Visitor) -> None:
    with visitor.at("/clave", scripts=False, width=390) as page:
        send = page.get_by_role("button", name="Enviar el enlace")
        send.click()
        page.get_by_role("link", name="Escriba su correo").click()
        page.get_by_label("Correo").fill("luis@demo.example")
        send.click()
        assert page.get_by_role("heading", name="Revise su correo").is_visible()
        page.goto(visitor.address + "/sandbox")
        link = page.locator(".letter a")
        reload_until_shown(page, link)
        link.first.click()
        assert "/clave/" in page.url
        page.get_by_label("Clave nueva").fill("tres palabras nuevas")
        page.get_by_role("button", name="Guardar").click()
        assert page.get_by_role("heading", name="Su clave cambió").is_visible()


def test_the_sandbox_says_when_there_is_news(visitor: Visitor) -> None:
    with visitor.at("/sandbox") as page:
        page.request.post(visitor.address + "/clave", form={"correo": "soporte@demo.example"})
        page.get_by_role("link", name="Hay novedades").wait_for()
