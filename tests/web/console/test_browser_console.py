"""The console in a real browser: on a phone and on a desk, with a screen reader's rules, and without scripts."""

from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.processes import Server
from tests.waiting import eventually
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.console.console_table import PAGES
from tests.web.portal.test_browser_pages import NO_EVENTS, NO_STOP, OPEN_ALL, WALKED, WATCH_FOCUS
from tests.web.sticker.demo_people import DemoPeople

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

pytestmark = pytest.mark.browser

# Every page that can be opened without knowing the number of something, and those of the demo's institution.
OPENED = [
    page.path.replace("instituciones/{slug}", "instituciones/colegio-san-luis")
    for page in PAGES
    if page.method == "GET"
]
PATHS = [path for path in OPENED if "{" not in path and not path.endswith("/aviso")]
ROSTER = "external_id,nombres,apellidos,correo\nE1,Nicolás,Quiroga,nicolas@ejemplo.com\nE2,,,malo\n"


def log_in(page: "Page", address: str) -> None:
    page.goto(f"{address}/login?next=/admin")
    page.get_by_label("Correo").fill("admin@demo.example")
    page.get_by_label("Clave").fill("demo-demo-demo")
    page.locator("main button[type=submit]").click()


def test_every_page_fits_reads_and_is_in_the_menu(visitor: Visitor) -> None:
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        for path in PATHS:
            page.goto(visitor.address + path)
            must_fit(page)
        page.add_init_script(NO_EVENTS)
        for path in WALKED_PATHS:
            page.goto(visitor.address + path)
            must_be_walked(page)


# Where each page that is new in 2.1.0 is used with the keyboard alone; the others have the same lists and forms.
WALKED_PATHS = ("/admin/emergencias", "/admin/estadisticas", "/admin/cambios", "/admin/instituciones/colegio-san-luis")
IS_BESIDE_MENU = """(() => {
  const menu = document.querySelector(".menu").getBoundingClientRect();
  const main = document.querySelector("main").getBoundingClientRect();
  return main.left >= menu.right && main.top < menu.bottom;
})()"""


def must_fit(page: "Page") -> None:
    """On a desk, where the page stands beside its menu, and on phones."""
    assert page.locator("h1").count() == 1, page.url
    assert violations(page) == [], page.url
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (page.url, width)
    assert page.evaluate(IS_BESIDE_MENU), page.url


def must_be_walked(page: "Page") -> None:
    """With Tab alone, on a phone, everything opened: nothing is left out, and one sees where one is. In the dark and
    in forced colours all of it can be read."""
    page.set_viewport_size({"width": 320, "height": 800})
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320, page.url
    stops = page.evaluate(WATCH_FOCUS)
    assert page.evaluate(NO_STOP) == [], page.url
    for _ in range(stops):
        page.keyboard.press("Tab")
    assert page.evaluate(WALKED) == [], page.url
    assert violations(page) == [], page.url
    page.emulate_media(color_scheme="dark")
    assert violations(page, "color-contrast") == [], page.url
    page.emulate_media(color_scheme="light", forced_colors="active")
    assert violations(page, "color-contrast") == [], page.url
    page.emulate_media(color_scheme="light", forced_colors="none")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_roster_a_batch_and_a_projects_link_fit_too(visitor: Visitor) -> None:
    """What has a page of its own only once it was made."""
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        page.goto(f"{visitor.address}/admin/instituciones/colegio-san-luis/nominas")
        given: FilePayload = {"name": "n.csv", "mimeType": "text/csv", "buffer": ROSTER.encode()}
        page.set_input_files("input[type=file]", given)
        page.get_by_role("button", name="Subir y probar").click()
        page.get_by_role("button", name="Importar").wait_for()  # The page comes again by itself.
        assert "rechazada" in page.locator("article").inner_text()
        must_fit(page)
        page.goto(f"{visitor.address}/admin/lotes/nuevo")
        page.locator("[name=count]").fill("2")
        page.locator("main button[type=submit]").click()
        page.locator("main tbody a").first.click()
        page.get_by_role("heading", name="Imprimir").wait_for()
        must_fit(page)
        page.goto(f"{visitor.address}/admin/proyectos/nuevo")
        for name, typed in (("slug", "mirado"), ("name", "Mirado"), ("url", "https://ejemplo.com/mirado")):
            page.locator(f"[name={name}]").fill(typed)
        page.locator("main button[type=submit]").click()
        page.goto(f"{visitor.address}/admin/proyectos/mirado/enlace")
        assert "/p/mirado?" in page.locator("main").inner_text()
        must_fit(page)


def test_the_subscription_and_the_webhook_of_the_demo_fit_too(visitor: Visitor) -> None:
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        for listed in ("/admin/suscripciones", "/admin/webhooks"):
            page.goto(visitor.address + listed)
            page.locator("main tbody a").first.click()
            page.wait_for_url(f"**{listed}/*")
            must_fit(page)
            page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")
            must_fit(page)


def test_a_line_is_withdrawn_with_the_keyboard_and_shown_again_on_a_narrow_phone(visitor: Visitor) -> None:
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        page.goto(f"{visitor.address}/admin/consejos?q=convulsion")
        page.get_by_role("link", name="Retirar: convulsion", exact=True).press("Enter")
        button = page.get_by_role("button", name="Retirar")
        button.press("Enter")
        assert page.locator("[role=alert] a").count() == 1
        must_fit(page)
        page.keyboard.press("Tab")
        page.get_by_label("Motivo").press_sequentially("Una guía nueva dice lo contrario.")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.get_by_role("status").inner_text() == "Retirado: ya no se muestra."
        must_fit(page)
        page.set_viewport_size({"width": 320, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.goto(f"{visitor.address}/admin/consejos?estado=withdrawn")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        page.get_by_role("link", name="Volver a mostrar: convulsion").click()
        page.get_by_label("Motivo").fill("Está corregido.")
        page.get_by_role("button", name="Volver a mostrar").click()
        assert page.get_by_role("status").inner_text() == "Se muestra otra vez."
        assert page.locator("tbody tr").count() == 1


def test_a_message_about_a_record_is_opened_with_the_keyboard(
    visitor: Visitor, demo: Server, demo_people: DemoPeople
) -> None:
    owner = demo_people.new_owner()
    assert demo.post("/v2/emergencies", {"code": owner.code, "tag": owner.tag}).status_code == 201
    with visitor.at("/login", width=390) as page:
        log_in(page, visitor.address)
        eventually(lambda: message_about_record(page, visitor.address))
        address = message_about_record(page, visitor.address)
        for language, label in (("en", "Reason"), ("pt", "Motivo"), ("es", "Motivo")):
            page.goto(f"{address}?l={language}")
            assert page.get_by_label(label).count() == 1
            must_fit(page)
        page.get_by_role("button", name="Abrir el mensaje").press("Enter")
        assert page.locator("[role=alert] a").count() == 1
        must_fit(page)
        page.keyboard.press("Tab")
        page.get_by_label("Motivo").press_sequentially("La familia pide que se lo repitan.")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert page.get_by_role("status").inner_text() == "Quedó anotado."
        assert page.get_by_role("heading", name="Lo que dice").is_visible()
        must_fit(page)


def message_about_record(page: "Page", address: str) -> str:
    """The first, once the worker has queued the alert. How many others were sent before it depends on which tests had
    their turn on this demo."""
    for number in count(1):
        answer = page.goto(f"{address}/admin/mensajes/{number}?l=en")
        assert answer is not None
        if answer.status == 404:
            return ""
        if page.get_by_label("Reason").count():
            return f"{address}/admin/mensajes/{number}"
    return ""


def test_without_scripts_a_person_is_found_on_a_phone(visitor: Visitor) -> None:
    with visitor.at("/login", scripts=False, width=390) as page:
        log_in(page, visitor.address)
        page.locator(".menu summary").click()
        page.get_by_role("link", name="Personas").click()
        page.get_by_label("Nombre, correo o número").fill("luis@demo")
        page.get_by_role("button", name="Buscar").click()
        assert page.get_by_role("link", name="Luis Molina").is_visible()
        assert page.locator("tbody tr").count() == 1
        page.locator(".menu summary").click()
        page.get_by_role("button", name="Salir").click()
        page.goto(visitor.address + "/admin/personas")
        assert "/login" in page.url


# How many rows of figures are printed, and by what colours its plots and words are.
PRINTED = """() => ({
  rows: [...document.querySelectorAll("table.figures tbody tr")].filter((row) => row.checkVisibility()).length,
  inks: [...document.querySelectorAll(".plot h2, .plot > svg rect, .plot > svg path")].map((one) => {
    const { color, fill, stroke } = getComputedStyle(one);
    return one.tagName === "H2" ? color : fill === "none" ? stroke : fill;
  }),
  menu: getComputedStyle(document.querySelector(".menu")).display,
})"""
ON_PAPER = "rgb(20, 24, 27)"


def test_plots_are_printed_dark_on_white_with_their_figures(visitor: Visitor) -> None:
    """Also where the screen is dark: paper is not. Without scripts."""
    with visitor.at("/login", dark=True, scripts=False) as page:
        log_in(page, visitor.address)
        shown = page.locator(".plot > svg")
        eventually(lambda: page.goto(f"{visitor.address}/admin/estadisticas?dias=7") and shown.count())
        on_screen = page.evaluate(PRINTED)
        assert on_screen["rows"] == 0 and ON_PAPER not in on_screen["inks"]
        page.emulate_media(media="print")
        printed = page.evaluate(PRINTED)
        assert printed["rows"] == 5 * 7 and printed["menu"] == "none"
        assert set(printed["inks"]) == {ON_PAPER}
