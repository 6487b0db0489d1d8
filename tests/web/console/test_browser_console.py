"""The console in a real browser: on a phone and on a desk, with a screen reader's rules, and without scripts."""

from typing import TYPE_CHECKING

import pytest

from tests.web.browsing import Visitor, violations
from tests.web.console.console_table import PAGES

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# Every page that can be opened without knowing the number of something.
PATHS = [page.path for page in PAGES if page.method == "GET" and "{" not in page.path]


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
            assert page.locator("h1").count() == 1, path
            assert violations(page) == [], path
            for width in (1280, 390):
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            page.set_viewport_size({"width": 1280, "height": 800})


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
