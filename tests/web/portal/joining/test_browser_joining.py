"""A new user on a phone, with and without scripts: from the front page to a sticker that helps, taps counted."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import Visitor
from tests.web.portal.test_browser_pages import NO_EVENTS, check_page
from tests.web.sticker.demo_people import DemoPeople
from tests.world import CLAVE, new_correo

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MOST_TAPS = 40
MOST_SCREENS = 4
ALLERGIES = ("Penicilina", "Maní")
CONTACTS = (("María Rojas", "madre", "4125551111"), ("Luis Rojas", "hermano", "4125552222"))


@dataclass
class Thumb:
    """Counts what a person taps; typing into a field takes the tap that opens it."""

    page: "Page"
    taps: int = 0

    def fill(self, name: str, value: str) -> None:
        self.taps += 1
        self.page.locator(f'[name="{name}"]').fill(value)

    def choose(self, word: str) -> None:
        self.taps += 1
        self.page.get_by_role("option", name=re.compile(f"^{word}")).first.click()

    def press(self, name: str) -> None:
        self.taps += 1
        self.page.get_by_role("button", name=name, exact=True).click()


def join(
    page: "Page",
    code: str,
    before_sending: Callable[[str], None] = lambda _screen: None,
    *,
    at_questions: Callable[[], None] = lambda: None,
    chooses: bool = False,
) -> Thumb:
    """Two allergies, one medicine and two contacts; stops on the record's page. Who `chooses` types the beginning of a
    word, and taps what the list offers."""
    thumb = Thumb(page)
    thumb.fill("code", code)
    before_sending("code")
    thumb.press("Es mía: empezar")
    for name, value in {
        "nombre": "Ana Rojas",
        "correo": new_correo(),
        "telefono": "4125551111",
        "clave": CLAVE,
    }.items():
        thumb.fill(name, value)
    before_sending("account")
    thumb.press("Crear la cuenta")
    at_questions()
    words = [(f"alergia.{place}", allergy) for place, allergy in enumerate(ALLERGIES)] + [("medicina.0", "Warfarina")]
    for name, word in words:
        thumb.fill(name, word[:4] if chooses else word)
        if chooses:
            thumb.choose(word)
    for place, (nombre, relacion, telefono) in enumerate(CONTACTS):
        thumb.fill(f"contacto.{place}.nombre", nombre)
        thumb.fill(f"contacto.{place}.relacion", relacion)
        thumb.fill(f"contacto.{place}.telefono", telefono)
    before_sending("questions")
    thumb.press("Guardar")
    if page.get_by_role("heading", name="¿Cuál de estas es?").count():
        thumb.press("Guardar")
    return thumb


def test_a_new_user_gets_there_without_scripts(visitor: Visitor, demo_people: DemoPeople) -> None:
    code, _ = demo_people.printed_sticker()
    with visitor.at("/", scripts=False, width=390) as page:
        screens: list[str] = []
        page.on("framenavigated", lambda frame: screens.append(frame.url))
        thumb = join(page, code)
        assert re.fullmatch(rf".*/app/{code}\?listo=1", page.url), page.url
        assert page.get_by_role("heading", name="Ana Rojas").is_visible()
        assert thumb.taps < MOST_TAPS
        assert len({url.partition("?")[0] for url in screens} | {"/"}) <= MOST_SCREENS


def test_with_scripts_terms_are_offered_as_one_types(visitor: Visitor, demo_people: DemoPeople) -> None:
    code, _ = demo_people.printed_sticker()

    def look() -> None:
        """The questions are asked once, so the test of every page does not meet them."""
        page.set_viewport_size({"width": 320, "height": 800})
        check_page(page)
        page.goto(page.url)  # Without what the checks did to it.
        page.emulate_media(color_scheme="light", forced_colors="none")
        page.set_viewport_size({"width": 390, "height": 800})

    with visitor.at("/", width=390) as page:
        page.add_init_script(NO_EVENTS)
        thumb = join(page, code, at_questions=look, chooses=True)
        assert re.fullmatch(rf".*/app/{code}(\?listo=1)?", page.url), page.url
        assert thumb.taps < MOST_TAPS
        page.goto(f"{visitor.address}/app/{code}/alergiasa")
        assert page.locator('[name="alergias.0.agente.texto"]').input_value().startswith("Maní")
        assert page.locator('[name="alergias.0.agente.codigo"]').input_value().startswith("snomed|")
