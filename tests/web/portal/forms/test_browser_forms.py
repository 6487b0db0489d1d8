"""The forms with scripts: what was typed is never lost, and terms are found as one types."""

from typing import TYPE_CHECKING

import pytest

from ficha.fmd.catalog import CATALOG
from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor, end_session, until
from tests.web.journeys import JOURNEYS, Journey
from tests.web.portal.test_browser_pages import OPEN_ALL, WIDTH
from tests.web.sticker.demo_people import DemoPeople, StickerOwner
from tests.world import CLAVE

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page, Route

pytestmark = pytest.mark.browser

KEPT = "Object.keys(localStorage).filter((key) => key.startsWith('ficha:draft:')).length"
OFFER = "[data-offer]"


def log_in(page: "Page", correo: str) -> None:
    page.locator("#correo").fill(correo)
    page.locator("#clave").fill(CLAVE)
    page.locator("#form button[type=submit]").click()


def correo_of(demo: Server, owner: StickerOwner) -> str:
    return str(demo.get("/v2/auth/me", owner.token).json()["data"]["attributes"]["correo"])


def stored(demo: Server, owner: StickerOwner, model: str) -> dict[str, object]:
    found: dict[str, object] = demo.get(f"/v2/fmd/{owner.code}/{model}", owner.token).json()["data"]["attributes"]
    return found["data"]  # type: ignore[return-value]


def test_what_was_typed_is_never_lost(visitor: Visitor, demo: Server, demo_people: DemoPeople) -> None:
    owner = demo_people.new_owner()
    correo, path = correo_of(demo, owner), f"/app/{owner.code}/emergencia"
    with visitor.at(f"/login?next={path}", width=390) as page:
        log_in(page, correo)
        hospital = page.locator('[name="hospital_preferido"]')
        hospital.fill("Clínica <Sur>")
        until(page, f"{KEPT} === 1")
        page.goto(visitor.address + path)  # Left and come back: offered, and taken in place.
        page.locator(OFFER).wait_for()
        assert violations(page) == []
        page.get_by_role("button", name="Recuperarlo").click()
        assert hospital.input_value() == "Clínica <Sur>"
        # Two more lines, and the session ends before they are saved.
        page.get_by_role("button", name="Agregar: Contactos").click()
        page.locator('[name="contactos.1.nombre"]').fill("Eva")
        page.locator('[name="contactos.1.relacion"]').fill("tía")
        page.locator('[name="contactos.1.cod_telefono"]').fill("+58")
        page.locator('[name="contactos.1.telefono"]').fill("4125559999")
        until(page, f"localStorage.getItem('ficha:draft:{path}').includes('4125559999')")
        page.goto(visitor.address + path)
        page.locator(OFFER).wait_for()
        page.get_by_role("button", name="Recuperarlo").click()  # Drawn by the server: the form has one line less.
        page.locator('[name="contactos.1.nombre"]').wait_for()
        assert page.locator('[name="contactos.1.nombre"]').input_value() == "Eva"
        assert hospital.input_value() == "Clínica <Sur>"
        end_session(page)
        page.get_by_role("button", name="Guardar", exact=True).last.click()
        page.wait_for_url("**/login/sigue**")
        log_in(page, correo)
        page.get_by_role("button", name="Enviar lo que escribí").click()
        page.get_by_text("Guardado", exact=True).wait_for()
        until(page, f"{KEPT} === 0")
        assert stored(demo, owner, "emergencia")["hospital_preferido"] == "Clínica <Sur>"
        # Discarded on request, and forgotten with the session.
        hospital.fill("otra")
        until(page, f"{KEPT} === 1")
        page.reload()
        page.get_by_role("button", name="Descartarlo").click()
        until(page, f"{KEPT} === 0")
        hospital.fill("otra más")
        until(page, f"{KEPT} === 1")
        page.evaluate("localStorage.setItem('something else', 'of this site')")
        page.goto(f"{visitor.address}/logout")
        page.get_by_role("button", name="Salir").click()
        page.wait_for_url(f"{visitor.address}/")
        assert page.evaluate("localStorage.length") == 0


def test_what_was_typed_before_the_script_came_is_kept(visitor: Visitor, demo: Server, demo_people: DemoPeople) -> None:
    owner = demo_people.new_owner()
    held: list[Route] = []

    def hold(route: "Route") -> None:  # Playwright takes no method of a list.
        held.append(route)

    with visitor.at("/login", width=390) as page:
        log_in(page, correo_of(demo, owner))
        page.wait_for_url("**/app")
        page.route("**/drafts*.js", hold)
        for number_kept in (0, 1):  # The second time is like a reload in a browser that fills in again what was typed.
            held.clear()
            page.goto(f"{visitor.address}/app/{owner.code}/emergencia", wait_until="commit")
            page.locator('[name="hospital_preferido"]').fill("Clínica Sur")
            while not held:
                page.wait_for_timeout(20)
            assert page.evaluate(KEPT) == number_kept
            held[0].continue_()
            page.wait_for_load_state()
            assert page.evaluate(KEPT) == 1
            assert page.locator(OFFER).is_hidden()
        page.unroute_all()
        page.reload()
        page.locator(OFFER).wait_for()


@JOURNEYS
def test_the_form_stays_through_taps_languages_back_and_an_ended_session(
    visitor: Visitor, demo: Server, demo_people: DemoPeople, journey: Journey
) -> None:
    """As a mother does it who is interrupted: also without scripts, where the server alone keeps what she typed."""
    owner = demo_people.new_owner()
    correo, path = correo_of(demo, owner), f"/app/{owner.code}/medicacion"
    with visitor.at(f"/login?next={path}", **journey.browsing) as page:
        log_in(page, correo)
        medicine = page.locator('[name="medicamentos.0.medicamento.texto"]')
        medicine.fill("")
        medicine.press_sequentially("warfarina", delay=5)
        if journey.scripts:
            page.locator(".terms [role=option]").first.wait_for()
        # A tap on what lies below the list reaches it, where it lies.
        tap(page, page.locator('[name="do"][value="search:medicamentos.0.medicamento"]'))
        page.locator('[name="medicamentos.0.medicamento.elegido"]').first.wait_for()
        page.locator('[name="do"][value="add:medicamentos"]').click()
        page.locator('[name="medicamentos.1.medicamento.texto"]').fill("Ácido fólico")
        since = page.locator('[name="medicamentos.1.desde"]')
        since.fill("ayer")
        page.locator('main [name="do"][value="save"]').last.click()
        page.locator('[id="medicamentos.1.desde-fault"]').wait_for()
        reads_well(page, journey)
        # Three steps, and back again: no page has expired.
        page.go_back()
        assert page.locator('[name="medicamentos.1.medicamento.texto"]').count() == 1
        page.go_back()
        assert page.locator('[name="medicamentos.0.medicamento.texto"]').count() == 1
        page.go_forward()
        page.go_forward()
        page.locator('[id="medicamentos.1.desde-fault"]').wait_for()
        other = "pt" if journey.language == "en" else "en"
        page.locator(f'.lang [lang="{other}"]').click()
        page.locator(f'html[lang="{other}"]').wait_for(state="attached")
        assert medicine.input_value() == "warfarina" and since.input_value() == "ayer"
        since.fill("31/3/2019")
        end_session(page)
        page.locator('main [name="do"][value="save"]').last.click()
        page.locator("#correo").wait_for()
        reads_well(page, journey)
        log_in(page, correo)
        reads_well(page, journey)
        page.locator("main button").click()
        page.locator("[data-saved]").wait_for()
        kept = [one["medicamento"]["texto"] for one in stored(demo, owner, "medicacion")["medicamentos"]]  # type: ignore[attr-defined]
        assert kept == ["warfarina", "Ácido fólico"]
        assert stored(demo, owner, "medicacion")["medicamentos"][1]["desde"] == "2019-03-31"  # type: ignore[index]
        assert page.locator('[name="medicamentos.1.desde"]').input_value() == (
            "31 Mar 2019" if other == "en" else "31/03/2019"
        )


def tap(page: "Page", target: "Locator") -> None:
    """Where the target lies now, and held for a moment: what jumps away between down and up is missed."""
    box = target.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, delay=200)


def reads_well(page: "Page", journey: Journey) -> None:
    """With opened folds. Where no scripts run, axe cannot either; the page is the same."""
    page.wait_for_load_state()
    page.evaluate(OPEN_ALL)
    assert page.evaluate(WIDTH) <= journey.width, page.url
    assert not journey.scripts or violations(page) == [], page.url


def test_a_form_that_nobody_touched_leaves_nothing(visitor: Visitor, demo: Server, demo_people: DemoPeople) -> None:
    owner = demo_people.new_owner()
    with visitor.at("/login", width=390) as page:
        log_in(page, correo_of(demo, owner))
        page.wait_for_url("**/app")
        for model in CATALOG.names:
            page.goto(f"{visitor.address}/app/{owner.code}/{model}")
            assert page.evaluate(KEPT) == 0, model


def test_terms_are_found_as_one_types(visitor: Visitor, demo: Server, demo_people: DemoPeople) -> None:
    owner = demo_people.new_owner()
    path = f"/app/{owner.code}/alergiasm"
    with visitor.at(f"/login?next={path}", width=390) as page:
        log_in(page, correo_of(demo, owner))
        page.locator('[name="ausencia"][value=""]').check()
        field = page.get_by_role("combobox", name="Medicamento").last
        field.press_sequentially("amoxisilina", delay=5)
        options = page.locator(".terms [role=option]")
        options.first.wait_for()
        assert "Amoxicilina" in options.first.inner_text()
        assert violations(page) == []
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert field.input_value().startswith("Amoxicilina") and options.count() == 0
        page.get_by_role("button", name="Guardar", exact=True).last.click()
        page.get_by_text("Guardado", exact=True).wait_for()
        assert stored(demo, owner, "alergiasm")["alergias"][-1]["medicamento"]["codigo"]  # type: ignore[index]
        # Other words after choosing: the choice is gone.
        field = page.get_by_role("combobox", name="Medicamento").last
        field.fill("Atamel")
        page.locator(".terms").get_by_text("Paracetamol (acetaminofén) · Atamel").click()
        assert field.input_value() == "Paracetamol (acetaminofén)"
        field.fill("x")
        assert page.locator('[name$=".elegido"]').count() == 0


def test_a_qr_that_anybody_reads_is_chosen_by_the_owner_and_never_for_her(
    visitor: Visitor, demo: Server, demo_people: DemoPeople
) -> None:
    owner = demo_people.new_owner()
    path = f"/app/{owner.code}/etiquetas"
    with visitor.at(f"/login?next={path}", width=390) as page:
        log_in(page, correo_of(demo, owner))
        card = page.locator(".card", has_text=owner.code)
        card.get_by_role("link", name="Cambiar su QR").click()
        assert page.get_by_text("deja de abrir al instante").is_visible()  # Before, and not in a fold.
        page.get_by_role("button", name="Cambiar el QR").click()
        tick = page.get_by_role("checkbox", name="Entiendo que cualquiera podrá leer estos datos")
        assert not tick.is_checked() and page.locator("img").count() == 1
        assert page.get_by_text("Lo impreso no se puede retirar.").is_visible()
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page) == []
        alone = page.get_by_role("button", name="Descargar solo ese QR")
        alone.click()  # Refused by the browser: the box is empty.
        assert tick.evaluate("(one) => one.matches(':invalid')")
        tick.check()
        with page.expect_download() as started:
            alone.click()
        assert started.value.suggested_filename == f"QR-{owner.code}-sin-red.png"
    assert visitor.faults == []
