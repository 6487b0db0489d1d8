"""The page that says whether a carnet is genuine, in a real browser."""

from itertools import product
from typing import Literal

import pytest

from tests import local_http
from tests.web.axe import COLOUR_RULES, violations
from tests.web.browsing import Visitor
from tests.web.sticker.demo_people import DemoPeople

pytestmark = pytest.mark.browser

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def test_whoever_holds_a_carnet_reads_whether_it_is_valid(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    headers = {"Authorization": f"Bearer {person.token}"}
    issued = local_http.post(f"{visitor.address}/v2/carnet/{person.code}/issue", headers=headers).json()["data"][
        "attributes"
    ]
    page_of = f"/carnet/{issued['serial']}"
    for scripts, widths in ((True, (320, 1280)), (False, (390,))):
        with visitor.at(page_of, scripts=scripts) as page:
            for width, scheme in product(widths, SCHEMES):
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=scheme)
                assert page.get_by_role("heading", level=1).inner_text() == "Carnet válido"
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                if scripts and scheme == "light":
                    assert violations(page, colours=width == 320) == [], width
                elif scripts and width == 320:
                    assert violations(page, *COLOUR_RULES) == [], "in the dark"
    with visitor.at("/carnet/NADA") as page:
        assert violations(page) == []
        assert "No conocemos" in page.get_by_role("heading", level=1).inner_text()
    assert visitor.faults == []
