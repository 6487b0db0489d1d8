"""Every page of the portal in a real browser: axe, widths, zoom, keyboard, colours. One window, one load of each."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.portal.portal_table import Family, one_path_each, shown_paths
from tests.web.sticker.demo_people import DemoPeople
from tests.world import CLAVE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

SMALL = """[...document.querySelectorAll('button, input, select, textarea, summary, .action, .ways a')]
  .filter((one) => one.checkVisibility() && !one.matches('.skip, .tap input, .check input'))
  .filter((one) => one.getBoundingClientRect().height < 48)
  .map((one) => one.outerHTML.slice(0, 120))"""
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
WIDTH = "document.documentElement.scrollWidth"
# What Tab must stop at, in the order of the page; a group of radio buttons is one stop. Whatever is met is noted.
WATCH_FOCUS = """(() => {
  const of = (one) => [...document.getElementsByName(one.name)];
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary')]
    .filter((one) => one.checkVisibility() && one.type !== "hidden" && !one.disabled)
    .filter((one) => !one.matches('[aria-hidden=true]'));
  const first = (one) => of(one).find((each) => each.checked) ?? of(one)[0];
  window.stops = all.filter((one) => one.type !== "radio" || first(one) === one);
  window.met = [];
  addEventListener("focusin", ({ target }) => {
    const style = getComputedStyle(target);
    met.push([target, `${style.outlineWidth} ${style.outlineStyle}`]);
  });
  // A date has stops for day, month and year; a page inside this one has its own.
  const inside = [...document.querySelectorAll('iframe')].filter((one) => one.checkVisibility())
    .map((one) => 2 + one.contentDocument.querySelectorAll('a[href], button, input, summary').length);
  const dates = stops.filter((one) => one.type === "date").length;
  return inside.reduce((sum, one) => sum + one, stops.length + 3 * dates);
})()"""
NO_STOP = "stops.filter((one) => one.tabIndex < 0).map((one) => one.outerHTML.slice(0, 120))"
# None is left out, all show that they have the focus, and the eye never jumps back up the page.
WALKED = """(() => {
  const said = (one) => one?.outerHTML.slice(0, 120);
  const top = (one) => one.getBoundingClientRect().top, bottom = (one) => one.getBoundingClientRect().bottom;
  const places = stops.filter((one) => !one.matches('.skip'));
  const isAbove = (one, place) => place && bottom(one) < top(places[place - 1]);
  return [
    ...stops.filter((one, place) => met[place]?.[0] !== one).map((one) => `not reached in its turn: ${said(one)}`),
    ...met.filter(([, outline]) => outline !== "3px solid").map(([one]) => `no visible focus: ${said(one)}`),
    ...places.filter(isAbove).map((one) => `out of order: ${said(one)}`),
  ];
})()"""
# What the page is for, without doing it.
FOCUS_ACTION = """(() => {
  const found = ['main form:not([hidden]) .action:not(.quiet)', 'main .action', 'main button', 'main a[href]']
    .flatMap((one) => [...document.querySelectorAll(one)]).find((one) => one.checkVisibility() && one.tabIndex >= 0);
  window.pressed = 0;
  addEventListener("click", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    pressed += event.target === found;
  }, true);
  found.focus();
  return found.tagName;
})()"""
# Backgrounds are gone in forced colours: what is a button or a field by its background alone is nothing any more.
VANISHED = """[...document.querySelectorAll('button, .action, .field input, select, textarea, .ways a, .card')]
  .filter((one) => one.checkVisibility() && !one.matches('.skip, [type=checkbox], [type=radio], [hidden]'))
  .filter((one) => {
    const style = getComputedStyle(one);
    return style.borderTopStyle === "none" || parseFloat(style.borderTopWidth) < 1
      || style.borderTopColor === getComputedStyle(document.body).backgroundColor;
  }).map((one) => one.outerHTML.slice(0, 120))"""
IS_STORM = "FICHA_STORM" in os.environ
# Forms that together with the first have every widget there is, and those of modules and of consent, which hold more
# than a list of fields: the other forms differ in their words.
WITH_ALL_WIDGETS = ("alergiasm", "cuerpo", "preferencia", "modulo", "consentimiento")
# Pages that change while they are walked through are tested elsewhere (test_browser_live.py).
NO_EVENTS = "delete window.EventSource"


def log_in(page: "Page", address: str, correo: str, clave: str = "demo-demo-demo") -> None:
    page.goto(f"{address}/login")
    page.get_by_label("Correo").fill(correo)
    page.get_by_label("Clave").fill(clave)
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


def test_every_page_reads_fits_and_is_used_by_keyboard(visitor: Visitor, demo: Server, demo_people: DemoPeople) -> None:
    ana = demo_people.people["ana"]
    code = ana["codes"][0]
    with visitor.at("/login", width=320) as page, alert_for(demo, ana) as alert:
        log_in(page, visitor.address, "ana@demo.example")
        page.goto(f"{visitor.address}/app/{code}/simulacro")
        page.locator("main button").click()
        page.wait_for_url("**/simulacro/*")
        family = Family(code, int(page.url.rpartition("/")[2]), alert)
        page.add_init_script(NO_EVENTS)
        walked = one_path_each(family) | {f"/app/{code}/{model}" for model in WITH_ALL_WIDGETS}
        for path in shown_paths(family):
            page.emulate_media(color_scheme="light", forced_colors="none")
            page.set_viewport_size({"width": 320, "height": 800})
            page.goto(visitor.address + path)
            # The first questions are asked once: after that they lead to the record.
            assert page.url.endswith((path, f"/app/{code}")) and page.locator("h1").count() == 1, path
            check_page(page, is_whole=IS_STORM or path in walked)


def test_vaccines_that_are_written_fit_a_phone_too(visitor: Visitor, demo_people: DemoPeople) -> None:
    owner = demo_people.new_owner()
    given = [
        {"vacuna": {"texto": "BCG", "sistema": "atc", "codigo": "J07AN01"}, "fecha": "2012-05-04"},
        *({"vacuna": {"texto": "Antipolio"}, "fecha": f"201{n}-11-03", "dosis_numero": n} for n in (3, 5)),
    ]
    headers = {"Authorization": f"Bearer {owner.token}"}
    written = owner.server.client.put(f"/v2/fmd/{owner.code}/vacuna", json={"vacunas": given}, headers=headers)
    assert written.status_code == 200, written.text
    me = owner.server.get("/v2/auth/me", owner.token).json()["data"]["attributes"]
    with visitor.at("/login", width=320) as page:
        log_in(page, visitor.address, me["correo"], CLAVE)
        page.add_init_script(NO_EVENTS)
        page.goto(f"{visitor.address}/app/{owner.code}/calendario-de-vacunas")
        assert "no está escrita" in page.locator("table").first.inner_text()
        check_page(page)


def check_page(page: "Page", *, is_whole: bool = True) -> None:
    """All that holds for every page: whoever sees, hears, zooms, or has only a keyboard can use it. A page like one
    that was walked through already is not walked again, and its colours are not computed again."""
    path = page.url
    page.evaluate(OPEN_ALL)
    stops = page.evaluate(WATCH_FOCUS)
    assert page.evaluate(NO_STOP) == [], path
    if is_whole:
        for _ in range(stops):
            page.keyboard.press("Tab")
        assert page.evaluate(WALKED) == [], path
    assert page.evaluate(WIDTH) <= 320, path
    assert page.evaluate(SMALL) == [], path
    assert violations(page) == [], path
    if is_whole:
        page.emulate_media(color_scheme="dark")
        assert violations(page, "color-contrast") == [], path
    page.emulate_media(color_scheme="light", forced_colors="active")
    assert page.evaluate(VANISHED) == [], path
    assert not is_whole or violations(page, "color-contrast") == [], path
    # A laptop's window at 200 %.
    page.set_viewport_size({"width": 640, "height": 400})
    assert page.evaluate(WIDTH) <= 640, path
    keys = ["Enter", "Space"] if page.evaluate(FOCUS_ACTION) == "BUTTON" else ["Enter"]
    for key in keys:
        page.keyboard.press(key)
    assert page.evaluate("pressed") == len(keys), path
