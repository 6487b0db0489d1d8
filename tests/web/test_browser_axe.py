"""Of texts that look alike one is judged; none that looks different is passed over."""

from typing import TYPE_CHECKING

import pytest

from tests.web.axe import violations

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang="es"><title>Colores</title><style>.pale { color: #bbb } .dark { background: #555 }
</style><main><h1>Colores</h1><p>Uno</p><p>Dos</p>%s<p>Tres</p></main>"""
CASES = {
    "alike": ("<p>Bien</p>", False),
    "another colour": ("<p class=pale>Mal</p>", True),
    "twice the same": ("<p class=pale>Mal</p><p class=pale>También</p>", True),
    "another ground": ("<section class=dark><div><p>Mal</p></div></section>", True),
    "seen through": ("<section style='opacity: 0.3'><p>Mal</p></section>", True),
    "smaller": (
        "<p style='font: 24px serif; color: #888'>Bien</p><p style='font: 12px serif; color: #888'>Mal</p>",
        True,
    ),
    "only one is off": (
        "<label class=pale><input disabled> Bien</label><label class=pale><input> Mal</label>",
        True,
    ),
    "axe cannot tell of the first": (
        "<p class=pale>¿?</p><i style='position: absolute; margin-top: -30px; width: 9em; height: 1em'></i>"
        "<p class=pale style='margin-top: 90px'>Mal</p>",
        True,
    ),
    "hidden": ("<p class=pale hidden>Bien</p>", False),
}


def test_a_text_is_judged_unless_it_looks_like_one_before(browser: "Browser") -> None:
    page = browser.new_page()
    for name, (inside, is_faulty) in CASES.items():
        page.set_content(PAGE % inside)
        for _ in range(2):  # What was marked the first time is forgotten.
            assert bool(violations(page, "color-contrast")) is is_faulty, name
    page.set_content(PAGE % CASES["another colour"][0])
    assert len(violations(page)) == 1 and violations(page, colours=False) == []
    page.close()
