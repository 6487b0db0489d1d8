"""A sticker is scanned where there is no network, in a real browser, after the server is gone."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from ficha.fmd.catalog import CATALOG
from tests import local_http
from tests.api.products.test_qr import scanned_png
from tests.processes import Server
from tests.web.axe import COLOUR_RULES, violations
from tests.web.browsing import Visitor, address_of, until_worker_is_active
from tests.web.sticker.demo_people import DemoPeople, StickerOwner

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser

OLD_KEYS = """caches.keys().then(([name]) => caches.open(name))
  .then((cache) => cache.put("/.well-known/ficha-keys.json", new Response('{"keys": []}')))"""
SMALL_TARGETS = """[...document.querySelectorAll('nav a, .call a')]
  .filter((one) => one.getBoundingClientRect().height < 48).map((one) => one.outerHTML)"""
WIDE = "document.documentElement.scrollWidth"


@dataclass
class OfflinePhone:
    """A browser that visited the viewer once, and a sticker that was printed then. The server is gone since."""

    address: str
    link: str
    page: "Page"

    @property
    def fragment(self) -> str:
        return self.link.partition("#")[2]

    def opens(self, fragment: str, query: str = "") -> "Page":
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/e/offline{query}#{fragment}")
        self.page.locator(".who, .refused").wait_for()
        return self.page


def printed(owner: StickerOwner) -> str:
    """Ana fills in her record and gets her QR; the picture is read as a camera would."""
    client, headers = owner.server.client, {"Authorization": f"Bearer {owner.token}"}
    for model in CATALOG:
        document: dict[str, Any] = dict(model.about.example)
        if model.about.wire == "consentimiento":
            document["visibilidad"] = {}
        saved = client.put(f"/v2/fmd/{owner.code}/{model.about.wire}", json=document, headers=headers)
        assert saved.status_code == 200, saved.text
    asked = {"code": owner.code, "kind": "hybrid", "format": "png"}
    return scanned_png(client.get("/v2/generators/qr", params=asked, headers=headers).content)


@contextmanager
def visited(browser: "Browser", address: str) -> Iterator["BrowserContext"]:
    context = browser.new_context(viewport={"width": 390, "height": 800}, locale="es-VE")
    page = context.new_page()
    page.goto(f"{address}/e/offline")
    for scope in ("/e/", "/E/"):  # From this first visit on, any sticker opens here.
        until_worker_is_active(page, scope)
    page.get_by_text("se abre sin conexión").wait_for()
    page.wait_for_function("caches.keys().then((names) => names.length === 1)")
    yield context
    context.close()


@pytest.fixture(scope="module")
def phone(browser: "Browser", sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfflinePhone]:
    """The server that goes is nobody else's."""
    folder = tmp_path_factory.mktemp("served")
    database = shutil.copy(sqlite_file, folder / "ficha.db")
    with ExitStack() as later:
        with Server(f"sqlite:///{database}", folder / "data", FICHA_LOG_LEVEL="warning") as server:
            address = address_of(server)
            link = printed(DemoPeople(server).new_owner())
            context = later.enter_context(visited(browser, address))
        with pytest.raises(httpx.ConnectError):
            local_http.get(address)
        context.set_offline(True)
        yield OfflinePhone(address, link, context.new_page())


def lines_below(page: "Page", heading: str) -> list[str]:
    found = page.get_by_role("heading", name=heading, exact=True)
    return page.locator("section", has=found).locator("li").all_inner_texts()


def test_the_lines_are_read_without_a_network(phone: OfflinePhone) -> None:
    page = phone.opens(phone.fragment)
    assert page.locator("h1").inner_text() == "Ana Lucía Pérez Rojas"
    stops = page.locator(".stop li").all_inner_texts()
    assert (
        stops[0] == "Alergia grave: Penicilinas (clase), Maní (cacahuate)\n"
        "Anafilaxia · Lleva autoinyector de adrenalina: mochila"
    )
    assert len(stops) == 6
    assert page.get_by_text("Puede haber cambiado desde entonces").is_visible()
    assert page.locator("a[href='tel:+584125551111']").inner_text().startswith("María Rojas, madre")
    assert page.locator("a[href='tel:911']").is_visible()
    heading = page.get_by_role("heading", name="Medicinas que no se suspenden sin consultar", exact=True)
    medicines = page.locator("section", has=heading)
    assert medicines.locator("li").all_inner_texts() == ["Insulina glargina, 18 U"]
    assert lines_below(page, "Qué hacer, según la persona")[0] == "No la sujeten; háblenle despacio."
    assert lines_below(page, "Alergias graves")[0].startswith("Penicilinas (clase): Urticaria (ronchas) · A los seis")
    assert "años" in page.locator(".who p").inner_text()


def test_a_scanned_sticker_lands_in_the_viewer(phone: OfflinePhone) -> None:
    """The link as it stands in the QR, in capitals, which nobody answers any more."""
    phone.page.goto("about:blank")
    phone.page.goto(phone.link)
    phone.page.locator(".stop").wait_for()
    assert phone.page.locator("h1").inner_text() == "Ana Lucía Pérez Rojas"
    assert "/E/" in phone.page.url


def test_any_sticker_of_this_service_is_readable_after_one_visit_to_the_viewer(phone: OfflinePhone) -> None:
    """Only /e/offline was ever opened: no page of this sticker, and no other."""
    _, _, code, tag = phone.link.partition("#")[0].rsplit("/", 3)
    phone.page.goto("about:blank")
    phone.page.goto(f"{phone.address}/e/{code}/{tag}#{phone.fragment}")
    phone.page.locator(".stop").wait_for()
    assert phone.page.locator("h1").inner_text() == "Ana Lucía Pérez Rojas"


def test_it_speaks_the_reader_s_language(phone: OfflinePhone) -> None:
    page = phone.opens(phone.fragment)
    page.get_by_role("link", name="EN", exact=True).click()
    assert page.locator(".stop li").first.inner_text().startswith("Severe allergy: Penicillins (class), Peanut")
    assert page.get_by_text("It may have changed since").is_visible()
    assert page.evaluate("document.documentElement.lang") == "en"
    page.get_by_role("link", name="PT", exact=True).click()
    assert page.locator(".stop li").first.inner_text().startswith("Alergia grave: Penicilinas (classe), Amendoim")
    assert phone.opens(phone.fragment, "?l=en").locator(".stop li").nth(2).inner_text() == "Takes insulin"


def altered(fragment: str, place: int | None = None) -> str:
    """One letter is another: in the middle of the lines, if no place is said."""
    place = len(fragment) // 4 if place is None else len(fragment) + place
    return fragment[:place] + ("A" if fragment[place] != "A" else "B") + fragment[place + 1 :]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (altered, "La firma no corresponde"),
        (lambda good: altered(good, -4), "La firma no corresponde"),
        (lambda good: good[:3] + "00" + good[5:], "no conoce la llave"),
        (lambda good: good[: len(good) // 3 * 3 - 2], "dañado o incompleto"),
        (lambda _good: "cualquier cosa", "dañado o incompleto"),
        (lambda _good: "%E0%A4%A", "dañado o incompleto"),
        (lambda _good: "1", "dañado o incompleto"),
        (lambda good: "0DI" + good[3:], "más nuevo que esta página"),
        (lambda good: good + "0" * 5000, "demasiado largo"),
    ],
)
def test_what_cannot_be_trusted_is_refused_with_a_reason(phone: OfflinePhone, change: Any, sentence: str) -> None:
    page = phone.opens(change(phone.fragment))
    assert sentence in page.locator(".refused").inner_text()
    assert page.locator(".stop").count() == 0
    assert "Ana" not in page.locator("body").inner_text()
    assert page.locator("a[href='tel:911']").is_visible()


def test_a_second_sticker_replaces_the_first(phone: OfflinePhone) -> None:
    page = phone.opens(phone.fragment)
    page.evaluate("location.hash = 'ABC'")
    page.locator(".refused").wait_for()
    assert page.locator(".stop").count() == 0
    page.evaluate("(good) => { location.hash = good; }", phone.fragment)
    page.locator(".stop").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # "Ir al contenido" is a jump, not a sticker.
    page.wait_for_url(lambda url: url.endswith("#main"))
    assert page.locator(".stop").is_visible()


def test_free_text_is_text_and_nothing_else(phone: OfflinePhone) -> None:
    """Were the lines ever shown as HTML, this would run."""
    page = phone.opens(phone.fragment)
    assert page.evaluate("translated('<img src=x onerror=alert(1)> {(}{)}')") == "<img src=x onerror=alert(1)> {}"
    assert page.evaluate("node('p', '', '<b>x</b>').innerHTML") == "&lt;b&gt;x&lt;/b&gt;"


def test_advice_names_the_medicine_that_helps_and_speaks_to_health_staff(phone: OfflinePhone) -> None:
    page = phone.opens(phone.fragment)
    lines = ["hipoglucemia|{Glucagón} (nevera | <b>)", "sangrado", "dolor_de_pecho.sin_ambas", "unknown"]
    glucagon, bleeding, pain = page.evaluate(
        "(lines) => [...advice(lines).querySelectorAll('li')].map((one) => one.textContent)", lines
    )
    assert "si no, RCP. Si no puede tragar y alguien sabe ponerlo: Glucagón (nevera | <b>). No: dar nada" in glucagon
    assert "Personal de salud: nada en el músculo, salvo lo urgente: adrenalina" in bleeding
    assert "Nitroglicerina no" in pain and "Personal de salud" not in pain


def test_it_fits_has_large_targets_and_is_accessible(phone: OfflinePhone) -> None:
    for fragment in (phone.fragment, altered(phone.fragment)):
        page = phone.opens(fragment)
        for width in (320, 1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(WIDE) <= width
            assert page.evaluate(SMALL_TARGETS) == [], width
        page.emulate_media(color_scheme="light")
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert violations(page, *COLOUR_RULES) == [], "in the dark"


@pytest.fixture(scope="module")
def fragment(demo_people: DemoPeople) -> str:
    return printed(demo_people.new_owner()).partition("#")[2]


def test_with_a_network_it_asks_nobody_else_and_breaks_no_policy(visitor: Visitor, fragment: str) -> None:
    with visitor.at(f"/e/offline#{fragment}") as page:
        page.locator(".stop").wait_for()
        until_worker_is_active(page, "/e/")


def test_a_phone_that_kept_the_keys_before_a_new_one_came_asks_again(visitor: Visitor, fragment: str) -> None:
    with visitor.at("/e/offline") as page:
        page.get_by_text("se abre sin conexión").wait_for()
        page.evaluate(OLD_KEYS)
        page.goto("about:blank")
        page.goto(f"{visitor.address}/e/offline#{fragment}")
        page.locator(".stop").wait_for()


def test_without_scripts_it_says_what_to_do(visitor: Visitor) -> None:
    with visitor.at("/e/offline", scripts=False) as page:
        assert "llame al 112" in page.locator(".note").inner_text()
        page.get_by_role("link", name="EN", exact=True).click()
        assert "call 112" in page.locator(".note").inner_text()
