"""What only a browser can tell of these pages: widths, targets, contrast, the dark, the printer, scripts off."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Door
from ficha.fmd.responder.view import DAMAGED
from ficha.web.contact.answer_page import AnswerPage, ShownAnswer, render_answer
from ficha.web.kit.forms import FieldFault
from ficha.web.sticker.page_facts import (
    AlertFacts,
    BreakGlassForm,
    TypedCodePage,
    UnavailablePage,
    UnopenedKind,
    UnopenedPage,
)
from ficha.web.sticker.typed_code_page import render_typed_code
from ficha.web.sticker.unavailable_page import render_unavailable
from ficha.web.sticker.unopened_page import CLAIMABLE, render_unopened
from tests.fmd.documents import NOW
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.sticker.page_server import SCRIPT, serve_pages
from tests.web.sticker.records import full_record, small_record
from tests.web.sticker.rendering import GLASS, page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SMALL_TARGETS = """[...document.querySelectorAll('a, button, input:not([type=hidden]), textarea, summary')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().height < 48)
  .map((one) => one.outerHTML.slice(0, 120))"""
SMALL_CALLS = """[...document.querySelectorAll('.call a, .call button')]
  .filter((one) => one.getBoundingClientRect().height < 56).map((one) => one.outerHTML.slice(0, 120))"""
SMALLEST = """Math.min(...[...document.querySelectorAll("body *")]
  .map((one) => parseFloat(getComputedStyle(one).fontSize)))"""
OUTLINE = """(() => { const style = getComputedStyle(document.activeElement);
  return `${style.outlineWidth} ${style.outlineStyle}`; })()"""
CONTRAST = """(() => {
  const shine = (text) => { const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const at = getComputedStyle(document.querySelector('.stop'));
  const [one, other] = [shine(at.color), shine(at.backgroundColor)].sort((a, b) => b - a);
  return (one + 0.05) / (other + 0.05); })()"""
INK = """[...document.querySelectorAll("body, body *:not(img)")].filter((one) => one.checkVisibility())
  .map((one) => [one.outerHTML.slice(0, 80), getComputedStyle(one)])
  .filter(([, at]) => !["rgba(0, 0, 0, 0)", "rgb(255, 255, 255)"].includes(at.backgroundColor)
    || Math.max(...at.color.match(/[0-9.]+/g).map(Number)) > 90)
  .map(([html, at]) => `${html} ${at.backgroundColor} ${at.color}`)"""


def _pages() -> dict[str, bytes]:
    saved = dict.fromkeys(full_record(), NOW - timedelta(days=100))
    made: dict[str, bytes] = {}
    for language in Idioma:
        said = language.value
        usual: dict[str, Any] = {"language": language, "emergency": ("112", "911")}
        wrong = BreakGlassForm(GLASS, who="Paramédico", faults=(FieldFault("motivo", "Escriba el motivo."),))
        live: dict[str, Any] = {"refresh": 600, "script": SCRIPT}
        until = NOW + timedelta(hours=1)
        alert = AlertFacts(("María leyó el aviso hace 40 s", "Enviado a Luis hace 1 min"))
        html = {
            "full": page(full_record(), said, known={"saved": saved}),
            "deep": page(full_record(), said, Door.B, known={"saved": saved}, glass=None, glass_until=until),
            "small": page(small_record(), said),
            "damaged": page(full_record() | {"alergiasm": DAMAGED}, said),
            "closed": page(full_record() | {"consentimiento": DAMAGED}, said),
            "wrong": page(full_record(), said, glass=wrong),
            "alert": page(full_record(), said, alert=alert, glass=BreakGlassForm(GLASS, page="?mas=1"), **live),
        }
        made |= {f"{name}-{said}": text.encode() for name, text in html.items()}
        made[f"typed-{said}"] = render_typed_code(
            TypedCodePage(**usual, code="K7M2QX", first_name="Ana", alert_action="/x")
        )
        made[f"relayed-{said}"] = render_typed_code(TypedCodePage(**usual, code="K7M2QX", alert=alert, **live))
        for kind in UnopenedKind:
            offered: dict[str, Any] = {"alert_action": "/x"} if kind is UnopenedKind.UNKNOWN else {}
            offered |= {"begin_action": "/empezar?l=es"} if kind in CLAIMABLE else {"own_page": "/app?l=es"}
            made[f"{kind}-{said}"] = render_unopened(UnopenedPage(**usual, kind=kind, code="K7M2QX", **offered))
        gone = UnavailablePage(**usual, is_number_known=False, is_posted=True, again="/x", script=SCRIPT)
        made[f"unavailable-{said}"] = render_unavailable(gone)
        for answer in ShownAnswer:
            known: dict[str, Any] = {
                "name": "Ana",
                "since": NOW,
                "now": NOW,
                "action": "/x",
                "map_url": "https://maps.example/",
            }
            facts = AnswerPage(**usual, **known, answer=answer, lines=("Luis leyó el aviso hace 40 s",))
            made[f"ack-{answer}-{said}"] = render_answer(facts)
    proxied = UnavailablePage(language=Idioma.ES, emergency=("112",), is_number_known=False, script=SCRIPT)
    made["no-service-es"] = render_unavailable(proxied, Idioma.EN, Idioma.PT)
    return made


# As the phone shows it, and the wide window, and the smallest phone.
WIDTHS = (390, 1280, 320)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
REDS = """[...document.querySelectorAll("body, body *")].filter((one) => !one.closest(".stop")).flatMap((one) => {
  const at = getComputedStyle(one); return [at.color, at.backgroundColor, at.borderLeftColor] })
  .filter((text) => { const [r, g, b, a] = text.match(/[0-9.]+/g).map(Number);
    return a !== 0 && r > 140 && g < 60 && b < 60 })"""


@pytest.fixture(scope="module")
def pages() -> dict[str, bytes]:
    return _pages()


@pytest.fixture(scope="module")
def visits(pages: dict[str, bytes], browser: "Browser") -> Iterator[Visitor]:
    with serve_pages(pages) as address:
        yield Visitor(browser, address)


@pytest.mark.parametrize("language", list(Idioma))
def test_every_page_fits_reads_and_prints(visitor: Visitor, pages: dict[str, bytes], language: Idioma) -> None:
    """One load of each, with its form open: that takes longer than most questions about it."""
    with visitor.at("/full-es", width=390) as tab:
        for name in (each for each in pages if each.endswith(f"-{language}")):
            tab.emulate_media(media="screen", color_scheme="light")
            tab.set_viewport_size({"width": 390, "height": 800})
            tab.goto(f"{visitor.address}/{name}")
            tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            tab.evaluate("document.querySelectorAll('[data-qr]').forEach((one) => { one.hidden = false; })")
            assert violations(tab, colours=language is Idioma.ES) == [], name
            assert_thumbs_and_eyes_find_what_they_need(tab, name)
            if language is Idioma.ES:
                assert_colours_are_right(tab, name)
            for width in WIDTHS:
                tab.set_viewport_size({"width": width, "height": 800})
                assert tab.evaluate("document.documentElement.scrollWidth") <= width, (name, width)


def assert_thumbs_and_eyes_find_what_they_need(tab: "Page", name: str) -> None:
    assert tab.evaluate(SMALL_TARGETS) == [], name
    assert tab.evaluate(SMALL_CALLS) == [], name
    assert tab.evaluate("getComputedStyle(document.body).fontSize") == "17px"
    assert tab.evaluate(SMALLEST) >= 14, name


def assert_colours_are_right(tab: "Page", name: str) -> None:
    """Only stop signs are red, and axe finds nothing in the dark. Paper takes no ink but for letters and lines,
    whatever the phone's colours are: a page of solid red or amber costs a cartridge and dries slowly."""
    assert tab.evaluate(REDS) == [], name
    tab.emulate_media(color_scheme="dark")
    assert violations(tab, "color-contrast") == [], name
    tab.set_viewport_size({"width": 794, "height": 800})
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate(INK) == [], name
    tab.emulate_media(media="print", color_scheme="light")
    assert tab.evaluate(INK) == [], name
    tab.emulate_media(media="screen")


def test_the_fullest_page_by_every_light_by_keyboard_and_on_paper(visitor: Visitor) -> None:
    with visitor.at("/full-es", width=390) as tab:
        for scheme in SCHEMES:
            tab.emulate_media(color_scheme=scheme)
            assert_stop_signs_stand_out(tab)
        tab.emulate_media(color_scheme="light", forced_colors="active")
        assert tab.evaluate("getComputedStyle(document.querySelector('.stop')).borderTopWidth") == "4px"
        tab.set_viewport_size({"width": 1280, "height": 800})
        tab.emulate_media(color_scheme="light", forced_colors="none")
        for _ in range(9):
            tab.keyboard.press("Tab")
            assert tab.evaluate(OUTLINE) == "3px solid"
        tab.emulate_media(color_scheme="dark")  # And the same way back.
        for _ in range(9):
            assert tab.evaluate(OUTLINE) == "3px solid"
            tab.keyboard.press("Shift+Tab")
        tab.set_viewport_size({"width": 794, "height": 800})
        tab.emulate_media(media="print", color_scheme="light")
        assert_the_facts_stay_and_the_buttons_go(tab)


def assert_stop_signs_stand_out(tab: "Page") -> None:
    assert tab.evaluate(CONTRAST) >= 7
    sixth = tab.locator(".stop li").nth(5).bounding_box()
    assert sixth and sixth["y"] + sixth["height"] <= 660, "all six are seen before anybody scrolls"


def assert_the_facts_stay_and_the_buttons_go(tab: "Page") -> None:
    assert not tab.get_by_role("button", name="Avisar a la familia").is_visible()
    assert not tab.get_by_text("Ver más datos").is_visible()
    assert tab.get_by_text("+58 412-5551111").first.is_visible()
    assert tab.evaluate("getComputedStyle(document.querySelector('.stop')).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert tab.evaluate("getComputedStyle(document.querySelector('.stop')).color") == "rgb(0, 0, 0)"


def test_without_scripts_everything_is_there(visitor: Visitor) -> None:
    with visitor.at("/full-es", scripts=False, width=390) as tab:
        assert tab.get_by_role("heading", name="Alto. Lea esto primero").is_visible()
        tab.get_by_role("link", name="Llamar", exact=True).click()
        assert tab.get_by_role("link", name="Llamar a emergencias").is_visible()
        assert not tab.get_by_label("Motivo").is_visible()
        tab.get_by_text("Ver más datos").click()
        assert tab.get_by_label("Su nombre o credencial").is_visible()
        assert tab.get_by_label("Motivo").is_visible()
        assert tab.evaluate("document.querySelector('img').naturalWidth") > 0


def test_news_come_by_script_and_without_one_by_reloading(visitor: Visitor) -> None:
    reloads = "document.querySelectorAll('meta[http-equiv]').length"
    with visitor.at("/alert-es") as tab:
        assert tab.evaluate("document.documentElement.dataset.ran") == "yes", "the policy let our script run"
        assert tab.evaluate(reloads) == 0
    with visitor.at("/alert-es", scripts=False) as tab:
        assert tab.evaluate(reloads) == 1
