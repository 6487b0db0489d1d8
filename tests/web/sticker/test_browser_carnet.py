"""The page that says whether a carnet is genuine, in a real browser."""

import httpx
import pytest

from tests.web.browsing import Visitor, violations
from tests.web.sticker.demo_people import DemoPeople

pytestmark = pytest.mark.browser


def test_whoever_holds_a_carnet_reads_whether_it_is_valid(visitor: Visitor, demo_people: DemoPeople) -> None:
    person = demo_people.new_owner()
    headers = {"Authorization": f"Bearer {person.token}"}
    issued = httpx.post(f"{visitor.address}/v2/carnet/{person.code}/issue", headers=headers).json()["data"][
        "attributes"
    ]
    page_of = f"/carnet/{issued['serial']}"
    for width in (320, 390, 1280):
        for dark in (False, True):
            with visitor.at(page_of, width=width, dark=dark, scripts=width != 390) as page:
                assert page.get_by_role("heading", level=1).inner_text() == "Carnet válido"
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                if width != 390:
                    assert violations(page) == []
    with visitor.at("/carnet/NADA") as page:
        assert violations(page) == []
        assert "No conocemos" in page.get_by_role("heading", level=1).inner_text()
    assert visitor.faults == []
