"""Every page of the portal in a real browser: axe, widths, zoom, keyboard, colours. One window, one load of each."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import Server
from tests.web.browsing import Visitor, violations
from tests.web.portal.portal_table import Family, one_path_each, shown_paths
from tests.web.sticker.demo_people import DemoPeople

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SMALL = """[...document.querySelectorAll('button, input, select, textarea, summary, .action, .ways a')]
  .filter((one) => one.checkVisibility() && !one.matches('.skip, .tap input, .check input'))
  .filter((one) => one.getBoundingClientRect().height < 48)
  .map((one) => one.outerHTML.slice(0, 120))"""
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
WIDTH = "document.documentElement.scrollWidth"
# Each element that a person uses must be met by Tab. A group of radio buttons is met once.
USED = """(() => {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')];
  return all.filter((one) => one.checkVisibility() && one.type !== "hidden" && !one.matches('[aria-hidden=true]'))
    .filter((one) => one.type !== "radio" || one.checked || !document.querySelector(
      `input[type=radio][name="${CSS.escape(one.name)}"]:checked`))
    .filter((one) => one.tabIndex < 0).map((one) => one.outerHTML.slice(0, 120));
})()"""
FOCUSED = """(() => {
  const at = document.activeElement, style = getComputedStyle(at);
  return at === document.body ? "3px solid" : `${style.outlineWidth} ${style.outlineStyle}`;
})()"""
COLOURS = (
    {"color_scheme": "dark"},
    {"color_scheme": "light", "forced_colors": "active"},
)
MOST_TABS = 6


def log_in(page: "Page", address: str, correo: str) -> None:
    page.goto(f"{address}/login")
    page.get_by_label("Correo").fill(correo)
    page.get_by_label("Clave").fill("demo-demo-demo")
    page.locator("main button[type=submit]").click()
    page.wait_for_url("**/app")


@contextmanager
def alert_for(demo: Server, person: dict[str, Any]) -> Iterator[int]:
    """Her own alert, which she cancels at the end."""
    given = {"correo": person["correo"], "clave": person["clave"]}
    token = demo.post("/v2/auth/login", given).json()["data"]["attributes"]["token"]
    alert = demo.post("/v2/emergencies", {"code": person["codes"][0]}, token).json()["data"]["id"]
    yield alert
    headers = {"Authorization": f"Bearer {token}"}
    assert demo.client.patch(f"/v2/emergencies/{alert}", json={"state": "canceled"}, headers=headers).status_code == 200


def test_every_page_reads_fits_and_is_used_by_keyboard(visitor: Visitor, demo: Server) -> None:
    ana = DemoPeople(demo).people["ana"]
    code = ana["codes"][0]
    with visitor.at("/login", width=320) as page, alert_for(demo, ana) as alert:
        log_in(page, visitor.address, "ana@demo.example")
        page.goto(f"{visitor.address}/app/{code}/simulacro")
        page.locator("main button").click()
        page.wait_for_url("**/simulacro/*")
        family = Family(code, int(page.url.rpartition("/")[2]), alert)
        one_each = one_path_each(family)
        for path in shown_paths(family):
            page.emulate_media(color_scheme="light", forced_colors="none")
            page.set_viewport_size({"width": 320, "height": 800})
            page.goto(visitor.address + path)
            # The first questions are asked once: after that they lead to the record.
            assert page.url.endswith((path, f"/app/{code}")) and page.locator("h1").count() == 1, path
            for _ in range(MOST_TABS if path in one_each else 0):
                page.keyboard.press("Tab")
                assert page.evaluate(FOCUSED) == "3px solid", path
            page.evaluate(OPEN_ALL)
            assert page.evaluate(USED) == [], path
            assert page.evaluate(WIDTH) <= 320, path
            assert page.evaluate(SMALL) == [], path
            assert violations(page) == [], path
            for colours in COLOURS if path in one_each else ():
                page.emulate_media(**colours)  # type: ignore[arg-type]
                assert violations(page, "color-contrast") == [], (path, colours)
            # A laptop's window at 200 %.
            page.set_viewport_size({"width": 640, "height": 400})
            assert page.evaluate(WIDTH) <= 640, path
