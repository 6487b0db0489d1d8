"""What only a real browser can tell: widths, focus, targets, scripts on and off."""

import re

import pytest

from tests.web.browsing import Visitor

pytestmark = pytest.mark.browser

OUTLINE = """(() => {
  const at = document.activeElement, style = getComputedStyle(at);
  return at === document.body ? "3px solid" : `${style.outlineWidth} ${style.outlineStyle}`;
})()"""
SMALLEST = """Math.min(
  ...[...document.querySelectorAll("body *")].map((one) => parseFloat(getComputedStyle(one).fontSize))
)"""
PAGES = ("/", "/docs", "/sandbox", "/clave", "/clave/nada", "/nada")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_sticks_out(visitor: Visitor, width: int) -> None:
    for path, page in visitor.each(PAGES, width=width):
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("dark", [False, True])
def test_the_keyboard_shows_where_it_is(visitor: Visitor, dark: bool) -> None:
    for path, page in visitor.each(PAGES, dark=dark):
        for _ in range(8):
            page.keyboard.press("Tab")
            assert page.evaluate(OUTLINE) == "3px solid", path


def test_targets_are_large_enough_for_a_thumb(visitor: Visitor) -> None:
    for path, page in visitor.each(PAGES, width=390):
        small = page.evaluate(
            "[...document.querySelectorAll('button, input, textarea, summary, nav a, .action, .ways a')]"
            ".filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 48)"
            ".map((one) => one.outerHTML.slice(0, 120))"
        )
        assert small == [], path


def test_text_is_never_small(visitor: Visitor) -> None:
    for path, page in visitor.each(PAGES, width=390):
        assert page.evaluate("getComputedStyle(document.body).fontSize") == "17px"
        assert page.evaluate(SMALLEST) >= 14, path


def test_an_operation_can_be_tried(visitor: Visitor) -> None:
    with visitor.at("/docs#welcome") as page:
        form = page.locator("#welcome form.try")
        form.get_by_role("button").click()
        form.locator(".outcome pre").wait_for()
        assert "200" in form.locator(".outcome b").inner_text()
        assert '"name": "Ficha"' in form.locator(".outcome pre").inner_text()


def test_trying_with_a_body_and_a_token(visitor: Visitor) -> None:
    with visitor.at("/docs#login") as page:
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


def test_the_filter_finds_operations(visitor: Visitor) -> None:
    with visitor.at("/docs") as page:
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
        page.get_by_role("button").click()
        page.get_by_role("link", name="Escriba su correo").click()
        page.get_by_label("Correo").fill("luis@demo.example")
        page.get_by_role("button").click()
        assert page.get_by_role("heading", name="Revise su correo").is_visible()
        link = page.locator(".letter a")
        for _ in range(100):
            page.goto(visitor.address + "/sandbox")
            if link.count():
                break
            page.wait_for_timeout(100)
        link.first.click()
        assert "/clave/" in page.url
        page.get_by_label("Clave nueva").fill("tres palabras nuevas")
        page.get_by_role("button", name="Guardar").click()
        assert page.get_by_role("heading", name="Su clave cambió").is_visible()


def test_the_sandbox_says_when_there_is_news(visitor: Visitor) -> None:
    with visitor.at("/sandbox") as page:
        page.request.post(visitor.address + "/clave", form={"correo": "soporte@demo.example"})
        page.get_by_role("link", name="Hay novedades").wait_for()
