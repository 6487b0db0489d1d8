"""The pages of an institution in a real browser: on a phone and on a desk, by keyboard, in three languages, and without
scripts."""

from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import Visitor
from tests.web.console.test_browser_console import must_be_walked, must_fit

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

pytestmark = pytest.mark.browser

HOME = "/centros/colegio-san-luis"
PATHS = (
    *(
        "",
        "?q=nadie",
        "?estado=sees",
        "/faltas",
        "/faltas?quienes=1",
        "/nominas",
        "/dudas",
        "/invitaciones",
        "/etiquetas",
    ),
)
ROSTER = (
    "external_id,Nombres,Apellidos,Fecha de nacimiento,Grado,Sección,correo\n"
    "B-1,Juan,Gómez,31/05/2012,4.º,B,juan@ejemplo.com\nB-2,Eva,Díaz,ayer,4.º,B,\n"
)


def log_in(page: "Page", address: str) -> None:
    page.goto(f"{address}/login")
    page.get_by_label("Correo").fill("enfermeria@demo.example")
    page.get_by_label("Clave").fill("demo-demo-demo")
    page.locator("main button[type=submit]").click()
    page.wait_for_url(f"**{HOME}*")


def member_paths(page: "Page", address: str) -> list[str]:
    """Of the people of the list."""
    page.goto(address + HOME)
    links = page.locator("main tbody a").all()
    return [str(link.get_attribute("href")) for link in links]


def test_every_page_fits_in_every_language(visitor: Visitor) -> None:
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        paths = [HOME + path for path in PATHS]
        for path in (*paths, *member_paths(page, visitor.address)):
            for language in ("es", "en", "pt"):
                answer = page.goto(f"{visitor.address}{path}{'&' if '?' in path else '?'}l={language}")
                assert answer is not None and answer.status == 200, path
                if language == "es":
                    must_fit(page)
                    must_be_walked(page)


def test_a_nurse_without_scripts_opens_a_record_by_keyboard(visitor: Visitor) -> None:
    with visitor.at("/login", scripts=False, width=390) as page:
        log_in(page, visitor.address)
        page.get_by_label("Nombre, clase o código").fill("2026-0042")
        page.get_by_label("Nombre, clase o código").press("Enter")
        link = page.locator("main tbody a")
        assert link.count() == 1 and "Deja ver su ficha" in page.locator("tbody").inner_text()
        link.press("Enter")
        assert "queda en el registro de la ficha con su nombre" in page.locator("main").inner_text()
        page.locator(".menu summary").press("Enter")
        page.get_by_role("link", name="Mi familia").click()
        page.get_by_role("link", name="Colegio San Luis").click()
        page.wait_for_url(f"**{HOME}*")


def test_a_roster_is_refused_in_words_and_the_rest_imported(visitor: Visitor) -> None:
    with visitor.at("/login") as page:
        log_in(page, visitor.address)
        page.goto(f"{visitor.address}{HOME}/nominas")
        page.locator("main details summary").click()
        must_fit(page)
        given: FilePayload = {"name": "n.csv", "mimeType": "text/csv", "buffer": ROSTER.encode()}
        page.set_input_files("input[type=file]", given)
        page.get_by_role("button", name="Subir y probar").click()
        page.get_by_role("button", name="Importar").wait_for()
        told = page.locator("article").inner_text()
        assert "Fila 3: Eva Díaz" in told and "Columna «Fecha de nacimiento»" in told and "Dice «ayer»" in told
        page.locator("article summary").click()
        must_fit(page)
        page.get_by_role("button", name="Importar").click()
        page.get_by_text("importada", exact=False).first.wait_for()
        page.goto(f"{visitor.address}{HOME}?q=4.º b")
        assert "Juan Gómez" in page.locator("tbody").inner_text()
        page.goto(f"{visitor.address}{HOME}/etiquetas?q=gomez")
        with page.expect_download() as download:
            page.get_by_role("button", name="Descargar el pliego (1)").click()
        assert download.value.suggested_filename == "etiquetas-colegio-san-luis.pdf"
