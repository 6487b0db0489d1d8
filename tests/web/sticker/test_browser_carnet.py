"""The page that says whether a carnet is genuine, in a real browser."""

import httpx
import pytest

from ficha.demo.people import CLAVE
from tests.web.browsing import Visitor, violations

pytestmark = pytest.mark.browser


def test_whoever_holds_a_carnet_reads_whether_it_is_valid(visitor: Visitor) -> None:
    with httpx.Client(base_url=visitor.address) as client:
        login = client.post("/v2/auth/login", json={"correo": "luis@demo.example", "clave": CLAVE})
        attributes = login.json()["data"]["attributes"]
        headers = {"Authorization": f"Bearer {attributes['token']}"}
        code = client.get("/v2/auth/me", headers=headers).json()["data"]["attributes"]["product_codes"][0]
        issued = client.post(f"/v2/carnet/{code}/issue", headers=headers).json()["data"]["attributes"]
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
