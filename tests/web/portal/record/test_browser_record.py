"""A keeper reads the family's pages: whose each record is, what is in it, who looked, and where sharing is decided."""

from typing import TYPE_CHECKING

import pytest

from tests.processes import Server
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.journeys import JOURNEYS, Journey
from tests.web.portal.forms.test_browser_forms import correo_of
from tests.web.sticker.demo_people import DemoPeople
from tests.world import CLAVE

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

WORDS = {
    "es": ("Su hijo", "Usted miró", "Quién ve qué", "hora de Caracas"),
    "en": ("Your son", "You looked", "Who sees what", "Caracas time"),
    "pt": ("Seu filho", "Você olhou", "Quem vê o quê", "hora de Caracas"),
}


@JOURNEYS
def test_the_pages_of_a_record_speak_to_its_keeper(
    visitor: Visitor, demo: Server, demo_people: DemoPeople, journey: Journey
) -> None:
    owner = demo_people.new_owner()
    whose, looked, sees, _ = WORDS[journey.language]
    with visitor.at(f"/login?next=/app/{owner.code}", **journey.browsing) as page:
        page.locator("[name=correo]").fill(correo_of(demo, owner))
        page.locator("[name=clave]").fill(CLAVE)
        page.locator("main form button").first.click()
        page.locator("main ul.ways:visible").first.wait_for()
        _check(page)
        page.goto(f"{visitor.address}/app")
        assert page.locator(".card .soft").first.inner_text().startswith(f"{whose} · ")
        _check(page)
        page.goto(f"{visitor.address}/app/{owner.code}/accesos")
        fold = page.locator("details", has_text=looked).first
        fold.locator("summary").click()
        assert fold.get_by_role("listitem").count() >= 2
        _check(page)
        page.goto(f"{visitor.address}/app/{owner.code}/consentimiento")
        _check(page)
        assert page.locator("#visibilidad > legend").inner_text() == sees
    with visitor.at(owner.scanned, **journey.browsing) as page:
        assert WORDS[journey.language][3] in page.locator("footer").inner_text()


LONG_FAMILY = "Wolfeschlegelsteinhausenbergerdorff-Okeke"
LONG_CONTACT = "Donaudampfschifffahrtsgesellschaft"


def test_names_of_any_length_fit_into_the_narrowest_phone(
    visitor: Visitor, demo: Server, demo_people: DemoPeople
) -> None:
    owner = demo_people.new_owner()
    contact = {"nombre": LONG_CONTACT, "relacion": "hija", "cod_telefono": "+58", "telefono": "4125551111"}
    models = {
        "personal": {"nombres": "Ana", "apellidos": LONG_FAMILY},
        "emergencia": {"contactos": [contact, contact | {"telefono": "4125551112"}]},
    }
    headers = {"Authorization": f"Bearer {owner.token}"}
    assert demo.client.patch(f"/v2/fmd/{owner.code}", json=models, headers=headers).status_code == 200
    with visitor.at("/login?next=/app", width=320) as page:
        page.locator("[name=correo]").fill(correo_of(demo, owner))
        page.locator("[name=clave]").fill(CLAVE)
        page.locator("main form button").first.click()
        page.wait_for_url("**/app")
        assert LONG_FAMILY in page.locator("main").inner_text()
        for path in ("/app", f"/app/{owner.code}", f"/app/{owner.code}/personas", f"/app/{owner.code}/emergencia"):
            page.goto(f"{visitor.address}{path}")
            page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            assert page.evaluate("document.documentElement.scrollWidth") <= 320, path


def _check(page: "Page") -> None:
    page.wait_for_load_state()
    assert violations(page) == []
    assert page.locator("h1").count() == 1
    assert "UTC" not in page.locator("body").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
