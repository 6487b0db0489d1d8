"""The page of the viewer in a real browser: what others write does nothing, it fits, and it helps without scripts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.exchange.samples import WHOLE, summary_of
from tests.processes import Server
from tests.web.axe import COLOUR_RULES, violations
from tests.web.browsing import Visitor, address_of
from tests.web.health_viewer.health_server import HealthServer
from tests.web.health_viewer.reader import HealthReader

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

ATTACK = "<img src=x onerror=alert(1)><script>alert(2)</script><a href='javascript:alert(3)'>x</a>{iss}"
MARKUP = "#shown img, #shown script, #shown iframe, #shown a[href^='javascript'], #shown [onerror], #shown style"
WIDE = "document.documentElement.scrollWidth"
SMALL_TARGETS = """[...document.querySelectorAll("nav a, button, summary, input, textarea, .action")]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 48).map((one) => one.outerHTML)"""
# A browser that reads QR codes, as those of phones do: headless Chromium on Linux has none.
READS_QR = """globalThis.BarcodeDetector = class { async detect() { return [{ rawValue: "shc:/123" }]; } };
  navigator.mediaDevices ??= {};"""


def poisoned(value: Any) -> Any:
    """The same document with markup in every text of every resource, and in its narratives."""
    kept = {"resourceType", "reference", "fullUrl", "system", "url", "type", "code"}
    if isinstance(value, dict):
        return {name: one if name in kept and isinstance(one, str) else poisoned(one) for name, one in value.items()}
    if isinstance(value, list):
        return [poisoned(one) for one in value]
    return f"{value}{ATTACK}" if isinstance(value, str) else value


def test_markup_of_others_is_text_and_runs_nothing(reader: HealthReader, health: HealthServer) -> None:
    issuer = health.issuers["stranger"]
    bundle = poisoned(summary_of(WHOLE))
    link = health.link(status=ATTACK).embed(bundle).embed({"resourceType": ATTACK, ATTACK: {ATTACK: [ATTACK]}})
    link.embed({"verifiableCredential": [issuer.card(bundle, iss=ATTACK)]}, "application/smart-health-card")
    link.embed({}, ATTACK)
    with reader.at(health.text_of(link, label=ATTACK[:80])) as page:
        assert ATTACK[:80] in page.locator("#about").inner_text()
        reader.opens(page, recipient=ATTACK[:120])
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.locator("#shown").inner_text().count("<img src=x onerror=alert(1)>") > 100
        assert page.locator(MARKUP).count() == 0
        page.wait_for_timeout(300)  # What had been let in would have run by now: its fault is written down.
    assert not [one for one in reader.asked if one.partition("\n")[0].endswith("/x")]


def test_narratives_are_read_as_text(reader: HealthReader, health: HealthServer) -> None:
    bundle = summary_of(WHOLE)
    section = bundle["entry"][0]["resource"]["section"][0]
    section["text"]["div"] = f"<div><p>Primero</p><p>Después</p>{ATTACK}<style>body{{display:none}}</style></div>"
    with reader.opened(health.link().embed(bundle)) as page:
        page.locator("summary", has_text="Como lo escribió el emisor").first.click()
        assert page.locator(".letter").first.inner_text().startswith("Primero\nDespués")
        assert page.locator("body").is_visible() and page.locator(MARKUP).count() == 0


def test_it_fits_has_large_targets_and_is_accessible(reader: HealthReader, health: HealthServer) -> None:
    link = health.link(passcode="1").embed(summary_of(WHOLE))
    card = health.issuers["stranger"].card(summary_of(WHOLE))
    link.embed({"verifiableCredential": [card, "x"]}, "application/smart-health-card")
    with reader.at() as page:
        _judge(page)
        reader.given(page, "nada")
        _judge(page)
        reader.given(page, health.text_of(link, label="Para el viaje"))
        _judge(page)
        reader.opens(page, "0")
        _judge(page)
        reader.opens(page, "1")
        _judge(page)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        _judge(page)


def _judge(page: Any) -> None:
    for width in (320, 1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(WIDE) <= width, width
        assert page.evaluate(SMALL_TARGETS) == [], width
    page.emulate_media(color_scheme="light")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, *COLOUR_RULES) == [], "in the dark"


def test_it_is_used_with_the_keyboard_alone(reader: HealthReader, health: HealthServer) -> None:
    link = health.link().embed(summary_of(WHOLE))
    with reader.at(health.text_of(link)) as page:
        assert page.evaluate("document.activeElement.id") == "recipient"
        page.keyboard.type("Ana")
        page.keyboard.press("Enter")
        page.locator("#shown:visible").wait_for()
        assert page.evaluate("document.activeElement.id") == "shown"


def test_another_link_replaces_the_first_and_a_jump_is_no_link(reader: HealthReader, health: HealthServer) -> None:
    with reader.at("nada") as page:
        page.locator("#refused:visible").wait_for()
        page.evaluate("(text) => { location.hash = text; }", health.text_of(health.link()))
        page.locator("#ask:visible").wait_for()
        page.evaluate("location.hash = 'main'")
        assert page.locator("#ask").is_visible() and page.locator("#refused").is_hidden()


def test_a_picture_is_read_by_the_browser_or_not_at_all(reader: HealthReader, tmp_path: Path) -> None:
    """No server of ours reads it: the key is in it."""
    picture = tmp_path / "qr.png"
    from PIL import Image

    Image.new("RGB", (8, 8)).save(picture)
    with reader.at() as page:
        asked = len(reader.asked)
        assert page.locator("#use-camera").is_hidden() == page.evaluate("!globalThis.BarcodeDetector")
        page.evaluate("delete globalThis.BarcodeDetector")
        page.locator("#file").set_input_files(picture)
        page.get_by_text("Este navegador no sabe leer un QR de una imagen").wait_for()
        page.evaluate(READS_QR)
        page.locator("#file").set_input_files([])
        page.locator("#file").set_input_files(picture)
        page.get_by_text("Está dañado o incompleto").wait_for()  # As what it read is.
        assert len(reader.asked) == asked


def test_without_scripts_it_says_what_to_do(browser: "Browser", ours: Server) -> None:
    visitor = Visitor(browser, address_of(ours))
    with visitor.at("/ver#shlink:/abc", scripts=False) as page:
        assert "Actívelo" in page.locator(".note").inner_text() and "PDF" in page.locator(".note").inner_text()
        assert page.locator("form:visible").count() == 0
        page.get_by_role("link", name="EN", exact=True).click()
        assert "summary as a PDF" in page.locator(".note").inner_text()
    assert visitor.faults == []


def test_a_browser_that_is_too_old_is_told(browser: "Browser", ours: Server) -> None:
    context = browser.new_context()
    context.add_init_script("delete globalThis.DecompressionStream")
    page = context.new_page()
    page.goto(f"{address_of(ours)}/ver?l=pt")
    page.get_by_text("Este navegador é antigo demais").wait_for()
    assert page.locator("form:visible").count() == 0
    context.close()
