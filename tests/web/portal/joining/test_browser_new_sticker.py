"""A mother with a cheap phone and a sticker that nobody has claimed: screens counted, and no mailbox opened."""

from typing import TYPE_CHECKING

import pytest

from ficha.web.kit.texts import page_texts
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.journeys import JOURNEYS, Journey
from tests.web.portal.test_browser_pages import NO_EVENTS, OPEN_ALL, SMALL, WIDTH
from tests.web.sticker.demo_people import DemoPeople
from tests.world import CLAVE, new_correo

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MOST_SCREENS = 4
SAYS = {
    name: page_texts("portal", name) for name in ("register", "first_questions", "family", "stickers", "add_sticker")
}
STICKER = page_texts("sticker", "page")


def looks_right(page: "Page", journey: Journey) -> None:
    """Nothing wider than the phone, nothing too small to hit, and axe has nothing to say: folds open, faults shown."""
    assert page.evaluate(WIDTH) <= journey.width, page.url
    if journey.scripts:
        page.wait_for_load_state()
        page.evaluate(OPEN_ALL)
        assert page.evaluate(SMALL) == [], page.url
        assert violations(page) == [], page.url


def press(page: "Page", words: str) -> None:
    page.get_by_role("button", name=words).first.click()


def fill(page: "Page", values: dict[str, str]) -> None:
    """What the page has of these fields: a severity is chosen, all else is typed."""
    for name, value in values.items():
        for one in page.locator(f'[name="{name}"]').all()[:1]:
            kind = one.get_attribute("type")
            if kind == "radio":
                page.locator(f'[name="{name}"][value="{value}"]').check()
            elif one.evaluate("(one) => one.localName") == "select":
                one.select_option(value)
            else:
                one.fill(value)


@JOURNEYS
def test_four_screens_and_no_mailbox(visitor: Visitor, demo_people: DemoPeople, journey: Journey) -> None:
    (code, tag), language, correo = demo_people.printed_sticker(), journey.language, new_correo()
    with visitor.at(f"/E/{code}/{tag}", **journey.browsing) as page:
        page.add_init_script(NO_EVENTS)
        screens = [page.url]
        page.on("framenavigated", lambda frame: screens.append(frame.url))
        assert page.get_by_role("heading", level=1).inner_text() == STICKER["new"].in_language(language)
        looks_right(page, journey)
        press(page, STICKER["begin"].in_language(language))
        assert tag not in page.url and page.locator('[name="code"]').input_value() == code
        looks_right(page, journey)
        fill(page, {"nombre": "Ana Rojas", "correo": correo, "telefono": "4125551111", "clave": CLAVE})
        press(page, SAYS["register"]["register_button"].in_language(language))
        answers = {"nombres": "Ana", "apellidos": "Rojas", "alergia.0": "Penicilina", "alergia.0.criticidad": "alta"}
        answers |= {
            "contacto.0.nombre": "María Rojas",
            "contacto.0.relacion": "madre",
            "contacto.0.telefono": "4125551111",
        }
        fill(page, answers)
        looks_right(page, journey)
        press(page, SAYS["first_questions"]["first_button"].in_language(language))
        if page.locator('[name="alergia.0.es"]').count():
            press(page, SAYS["first_questions"]["first_button"].in_language(language))
        assert page.url.partition("?")[0].endswith(f"/app/{code}") and any("listo=1" in url for url in screens), screens
        told = SAYS["family"]["check_correo"].in_language(language)
        assert page.get_by_text(f"{told}: {correo}").is_visible()
        looks_right(page, journey)
        seen = {url.partition("?")[0] for url in screens}
        assert len(seen) <= MOST_SCREENS and not any(tag in url for url in screens[1:]), screens
        # It opens at once, and nothing waits for a mail.
        page.goto(f"{visitor.address}/E/{code}/{tag}")
        assert page.get_by_role("heading", name="Ana Rojas").is_visible() and "penicil" in page.content().lower()


@JOURNEYS
def test_a_second_sticker_and_one_to_print(visitor: Visitor, demo_people: DemoPeople, journey: Journey) -> None:
    """Somebody who joined by her code: the wait for the mail is told, the scan ends it, and a new QR is asked about."""
    (code, _), (second, tag), language = demo_people.printed_sticker(), demo_people.printed_sticker(), journey.language

    def says(key: str) -> str:
        return SAYS["stickers"][key].in_language(language)

    with visitor.at(f"/registro?code={code}", **journey.browsing) as page:
        page.add_init_script(NO_EVENTS)
        fill(page, {"nombre": "Ana Rojas", "correo": new_correo(), "telefono": "4125551111", "clave": CLAVE})
        press(page, SAYS["register"]["register_button"].in_language(language))
        page.goto(f"{visitor.address}/app/{code}/etiquetas")
        press(page, says("resend"))
        assert page.get_by_role("status").get_by_text(says("done_enviado")).is_visible()
        fill(page, {"code": "222222"})
        press(page, says("add_button"))
        looks_right(page, journey)
        fill(page, {"code": second})
        press(page, says("add_button"))
        assert page.get_by_text(says("done_espera")).is_visible()
        # The second one is at hand: its scan activates it, and no mail is needed.
        page.goto(f"{visitor.address}/E/{second}/{tag}")
        looks_right(page, journey)
        press(page, STICKER["activate"].in_language(language))
        looks_right(page, journey)
        press(page, SAYS["add_sticker"]["add_button"].in_language(language))
        assert page.get_by_text(says("done_agregada")).is_visible()
        # A new QR would end what is printed: that is told first, and one more with its own code is offered.
        page.locator(f'a[href*="renovar?cual={second}"]').click()
        assert page.get_by_text(says("tag_why")).is_visible()
        looks_right(page, journey)
        press(page, says("another_button"))
        assert page.get_by_text(says("another_lead")).is_visible()
        looks_right(page, journey)
        answer = page.goto(f"{visitor.address}/E/{second}/{tag}")
        assert answer is not None and answer.status == 200
