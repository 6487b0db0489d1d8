"""The way of a mother with a phone: a photo, the carnet, a page for the school, a lock screen."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import skimage
from PIL import Image

from ficha.demo.records import PUPIL
from tests.processes import Server
from tests.qr_reader import read_all_qr, read_qr
from tests.web.axe import violations
from tests.web.browsing import Visitor
from tests.web.journeys import JOURNEYS, Journey
from tests.world import CLAVE, registration

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# A public-domain portrait that comes with a library.
PORTRAIT = Path(skimage.__file__).parent / "data" / "astronaut.png"
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def check(page: "Page", journey: Journey) -> None:
    """Nothing is wider than the phone, and axe has nothing to say, also of what is folded."""
    page.wait_for_load_state()
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") <= journey.width, page.url
    assert page.locator("h1").count() == 1
    if journey.scripts:
        assert violations(page) == [], page.url


def send_portrait(page: "Page") -> None:
    """Again where the process for pictures is busy, as the page asks for."""
    for _ in range(4):
        page.locator("#elegida").set_input_files(PORTRAIT)
        page.locator("button[value=send]").click()
        page.locator("button[value^=keep], .faults").first.wait_for()
        if page.locator("button[value^=keep]").count():
            return


def downloaded(page: "Page", button: str) -> bytes:
    with page.expect_download() as saved:
        page.locator(button).first.click()
    return Path(saved.value.path()).read_bytes()


def scanned(picture: bytes) -> str:
    found = read_qr(Image.open(BytesIO(picture)).convert("L"))
    assert found is not None
    return found.text


@JOURNEYS
def test_a_mother_makes_a_photo_a_carnet_a_sheet_and_a_lock_screen(
    visitor: Visitor, demo: Server, journey: Journey
) -> None:
    body = registration()
    person = demo.post("/v2/auth/register", body).json()["data"]["attributes"]
    code = person["product_codes"][0]
    headers = {"Authorization": f"Bearer {person['token']}"}
    assert demo.client.patch(f"/v2/fmd/{code}", json=PUPIL, headers=headers).status_code == 200
    asked = f"?l={journey.language}"
    with visitor.at(f"/login{asked}", width=journey.width, scripts=journey.scripts) as page:
        page.set_default_timeout(120_000)  # The process for pictures comes last on a busy machine.
        page.locator("[name=correo]").fill(body["correo"])
        page.locator("[name=clave]").fill(CLAVE)
        page.locator("main button[type=submit]").first.click()
        page.wait_for_url("**/app*")
        page.goto(f"{visitor.address}/app/{code}{asked}")
        page.locator("a[href*='/retrato']").click()
        # Nothing was chosen yet.
        page.locator("button[value=send]").click()
        assert page.locator("#elegida[aria-invalid=true]").count() == 1
        check(page, journey)
        send_portrait(page)
        assert page.locator("button[value^=keep]").count() == 2
        check(page, journey)
        page.locator("button[value^=keep]").first.click()
        page.wait_for_url("**/retrato?guardada=1*")
        check(page, journey)
        page.locator("main a[href*='/papeles']").click()
        check(page, journey)
        page.locator("button[value=carnet]").click()
        page.locator("button[value=pdf]").first.wait_for()
        check(page, journey)
        assert downloaded(page, "button[value=pdf]").startswith(b"%PDF")
        assert f"/E/{code}/" not in scanned(downloaded(page, "button[value=png]"))
        page.evaluate(OPEN_ALL)
        page.locator("input[name=tarjeta]").check()
        carnet = downloaded(page, "form:has(input[name=tarjeta]) button[value=png]")
        assert [one.text[:5] for one in read_all_qr(Image.open(BytesIO(carnet)))].count("shc:/") == 1
        page.locator("button[value=sheet]").click()
        page.locator("a[download]").wait_for()
        check(page, journey)
        assert downloaded(page, "a[download]").startswith(b"%PDF")
        page.locator("main a[href*='/papeles']").click()
        page.locator("button[value=screen]").click()
        page.locator("a[download]").wait_for()
        check(page, journey)
        link = scanned(downloaded(page, "a[download]"))
        page.goto(visitor.address + link[link.index("/E/") :] + asked)
        assert "Ana Lucía" in page.locator("h1").inner_text()
