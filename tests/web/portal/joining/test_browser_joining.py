"""A new user on a phone, with and without scripts: from the front page to a sticker that helps, taps counted."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.journeys import JOURNEYS, Journey
from tests.web.portal.test_browser_pages import NO_EVENTS, OPEN_ALL, check_page
from tests.web.sticker.demo_people import DemoPeople
from tests.world import CLAVE, new_correo

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

MOST_TAPS = 40
MOST_SCREENS = 4
# A script takes "listo" out of the address once the page has said it.
RECORD = re.compile(r".*/app/[A-Z0-9]{6}(\?.*)?$")
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

    def tap(self, name: str, value: str) -> None:
        self.taps += 1
        self.page.locator(f'[name="{name}"][value="{value}"]').check()

    def unfold(self, words: str) -> None:
        self.taps += 1
        self.page.get_by_text(words, exact=True).click()

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
    thumb.unfold("Agregar más alergias")
    for name, word in words:
        thumb.fill(name, word[:4] if chooses else word)
        if chooses:
            thumb.choose(word)
    for place, _ in enumerate(ALLERGIES):
        thumb.tap(f"alergia.{place}.criticidad", "alta")
    for place, (nombre, relacion, telefono) in enumerate(CONTACTS):
        thumb.fill(f"contacto.{place}.nombre", nombre)
        thumb.fill(f"contacto.{place}.relacion", relacion)
        thumb.fill(f"contacto.{place}.telefono", telefono)
    before_sending("questions")
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


def answer(page: "Page", **fields: str) -> None:
    for name, value in fields.items():
        page.locator(f'[name="{name}"]').fill(value)


def send(page: "Page") -> None:
    page.locator("main form:not([hidden]) button.action:not(.quiet)").last.click()


def check(page: "Page", journey: Journey) -> None:
    """With all folds open, as it is shown: fits, and has nothing against it. Axe is a script itself."""
    if journey.scripts:
        page.wait_for_load_state()
        page.evaluate(OPEN_ALL)
        assert violations(page) == []
    assert page.locator("html").get_attribute("lang") == journey.language
    assert page.locator("body").bounding_box()["width"] <= journey.width  # type: ignore[index]


@JOURNEYS
def test_a_mother_joins_for_two_daughters(visitor: Visitor, journey: Journey) -> None:
    """In her own words, unsure of the allergy, with a wrong number; she is the first contact, and the next daughter
    has the same contacts by one tap."""
    lang = f"?l={journey.language}"
    with visitor.at(f"/registro{lang}", **journey.browsing) as page:
        page.add_init_script(NO_EVENTS)
        answer(page, nombre="Ana Rojas", correo=new_correo(), telefono="4125551111", clave=CLAVE)
        page.locator('[name="relacion"]').select_option("madre")
        send(page)
        page.wait_for_url("**/inicio**")
        check(page, journey)
        code = page.url.split("/app/")[1].split("/")[0]
        assert page.locator('[name="contacto.0.nombre"]').input_value() == "Ana Rojas"
        assert page.locator('input[type="radio"]:checked').count() == 0
        answer(page, nombres="Eva", apellidos="Rojas", fecha_nacimiento="31/03/2012")
        answer(page, **{"alergia.0": "Penicilina", "condicion.0": "Asma"})
        note = page.locator('[id="condicion.0-coding"]')
        assert note.is_visible() == journey.scripts  # Nothing was chosen: it has no code.
        page.locator('[name="alergia.0.criticidad"][value="desconocida"]').check()
        answer(page, **{"contacto.1.nombre": "Luis", "contacto.1.relacion": "tío", "contacto.1.telefono": "12"})
        send(page)
        wrong = page.locator('[id="contacto.1.telefono-fault"]')
        wrong.wait_for()
        check(page, journey)
        assert note.is_visible() and page.locator('[name="alergia.0.criticidad"]:checked').count() == 1
        answer(page, **{"contacto.1.telefono": "4125552222"})
        send(page)
        page.wait_for_url(RECORD)
        # Whoever scans reads what nobody knows as serious.
        page.goto(f"{visitor.address}/app/{code}/vista{lang}")
        assert "Penicilina" in page.locator(".stop li").first.inner_text()
        page.goto(f"{visitor.address}/app/{code}/codigos{lang}")
        check(page, journey)
        assert page.locator("input:checked").evaluate_all("(all) => all.every((one) => one.value === '')")
        page.locator('[value^="alergiasm|atc|J01C|"]').check()
        send(page)
        page.locator("p[role=status]").wait_for()
        assert page.locator('[value^="alergiasm|"]').count() == 0
        page.goto(f"{visitor.address}/app/nueva{lang}")
        answer(page, nombres="Sol")
        page.locator('[name="relacion"]').select_option("madre")
        send(page)
        page.wait_for_url("**/inicio**")
        check(page, journey)
        page.locator('[name^="copiar."]').check()
        answer(page, apellidos="Rojas")
        send(page)
        page.wait_for_url(RECORD)
        sister = page.url.split("/app/")[1].split("?")[0]
        page.goto(f"{visitor.address}/app/{sister}/emergencia{lang}")
        names = [page.locator(f'[name="contactos.{place}.nombre"]').input_value() for place in range(2)]
        assert names == ["Ana Rojas", "Luis"]
    assert visitor.faults == []
