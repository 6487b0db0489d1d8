"""What the viewer makes of the lines of a sticker, in a real browser: each kind, old and new ones, and whom to call."""

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import pytest

from ficha.fmd.responder.emergency_numbers import emergency_call
from ficha.web.kit.language import region_in
from ficha.web.sticker.script import NUMBERS_OF_ZONES
from tests.web.browsing import Visitor, until
from tests.web.sticker.test_browser_offline_viewer import lines_below

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# The number for a phone with these languages and this city on its clock, a record and a service of these countries.
NUMBERS = "(cases) => cases.map((one) => emergencyNumber(...one))"
# What a phone shows whose languages name no country, and whose sticker has these lines.
CALLS = """(text) => { Object.defineProperty(navigator, "languages", { value: ["es"], configurable: true });
  return emergency(countryOf(cardOf(text))).map((one) => one.href || one.textContent).join(" "); }"""
SHOW = "([text, spoken]) => { language = spoken; found = cardOf(text); show(); }"
HEAD = "K7M2QX20261115\nAna"
RESCUE = {"rescue": ["Está aquí: {where}.", "It is here: {where}.", "Está aqui: {where}."]}


@pytest.fixture
def page(visitor: Visitor) -> Iterator["Page"]:
    with visitor.at("/e/offline", width=390) as page:
        until(page, "known !== null")
        yield page


def test_the_emergency_number_follows_the_rule_of_the_other_pages(page: "Page") -> None:
    """Whatever the phone's languages and clock, the record and the service say."""
    languages: tuple[list[str], ...] = (
        ["es-VE"],
        ["es"],
        ["en", "pt-BR"],
        ["es-419", "es-XX"],
        ["zh-Hans-JP"],
        ["fr-fr", "es-CO"],
        [],
    )
    cities = ("UTC", "Bogota", "Sao_Paulo", "constructor")
    countries = ("", "VE", "gb", "XX", "PE")
    cases = list(product(languages, cities, countries, countries))
    assert page.evaluate(NUMBERS, cases) == [expected_number(*one) for one in cases]


def expected_number(languages: list[str], city: str, record_country: str, deployed_in: str) -> str:
    """As the server and the script of the responder page find it; empty where no country is known."""
    call = emergency_call(region_in(",".join(languages)), record_country, deployed_in)
    if not call.is_of_phone and city in NUMBERS_OF_ZONES:
        return NUMBERS_OF_ZONES[city]
    return call.number if call.is_known else ""


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("@BR\nc+584125551111 Eva, tía", "tel:192"),
        # A sticker that was printed before stickers named a country.
        ("c+5511999990000 Eva, tía", "tel:192"),
        ("", "tel:112 No sabemos en qué país está"),
    ],
)
def test_the_record_s_country_is_on_the_sticker(page: "Page", lines: str, said: str) -> None:
    assert page.evaluate(CALLS, f"{HEAD}\n{lines}").startswith(said)


@pytest.mark.parametrize(
    ("lines", "language", "sentence"),
    [
        ("=j", "es", "Sin alertas graves registradas; puede tenerlas."),
        ("=n", "en", "No allergies, medicines or conditions are recorded"),
        ("=r", "pt", "Sem alertas graves no que pode ser mostrado."),
        ("=u\n~3", "es", "Hay datos sin evaluar que pueden ser importantes y no cupieron en el QR."),
        ("=z", "es", "El QR no nombra alertas graves; puede haberlas."),
        ("m{Warfarina}", "en", "The QR names no serious alerts; there may be some."),
    ],
)
def test_that_there_is_nothing_serious_is_only_said_if_the_sticker_says_so(
    page: "Page", lines: str, language: str, sentence: str
) -> None:
    page.evaluate(SHOW, [f"{HEAD}\n{lines}", language])
    assert sentence in page.locator(".aged").first.inner_text()
    assert page.locator(".stop").count() == 0


def test_what_no_rule_has_judged_stands_where_the_signs_would(page: "Page") -> None:
    page.evaluate(SHOW, [f"{HEAD}\njAlgo de la abuela\nj{{Migraña}}\n=u", "es"])
    assert lines_below(page, "Sin evaluar, puede ser importante") == ["Algo de la abuela", "Migraña"]
    assert "alertas graves" not in page.locator("body").inner_text()


@pytest.mark.parametrize(
    ("line", "language", "sentence"),
    [
        ("~7", "es", "hay 7 datos más en línea"),
        ("~7", "en", "there are 7 more online"),
        ("~7", "pt", "há mais 7 dados on-line"),
        ("~1", "es", "hay 1 dato más en línea"),
        ("~", "es", "hay más datos en línea"),
    ],
)
def test_it_says_how_much_more_there_is(page: "Page", line: str, language: str, sentence: str) -> None:
    page.evaluate(SHOW, [f"{HEAD}\n!{{Epilepsia}}\n{line}", language])
    assert sentence in page.locator(".aged").first.inner_text()


def test_every_kind_of_line_is_shown_and_those_of_a_newer_service_are_left_out(page: "Page") -> None:
    lines = [
        "!{Epilepsia}",
        "uManí: anafilaxia",
        "s{Asma}",
        "p{Autismo}: Hablar despacio",
        "zotra cosa",
        "dno_existe|x",
    ]
    lines.append("w{No reanimar} · {Preferencia declarada}")
    page.evaluate(SHOW, ["\n".join([HEAD, *lines]), "en"])
    assert lines_below(page, "Allergies of unknown severity") == ["Maní: anafilaxia"]
    assert lines_below(page, "Conditions") == ["Asthma"]
    assert lines_below(page, "What to do, by the person") == ["Autism: Hablar despacio"]
    assert lines_below(page, "Advance directive") == ["Do not resuscitate · Stated preference"]
    assert "if there is no breathing, start CPR" in page.locator("body").inner_text()
    assert "otra cosa" not in page.locator("body").inner_text()
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("more", "where", "said"),
    [
        ({}, None, "T. Do. Do not: Not."),
        ({}, "bolso", "T. Do. Do not: Not."),
        (RESCUE, None, "T. Do. Do not: Not."),
        (RESCUE, "bolso {(}azul{)}", "T. Do. It is here: bolso {azul}. Do not: Not."),
        ({"staff": ["Dose."] * 3}, None, "T. Do. Do not: Not. Health staff: Dose."),
    ],
)
def test_advice_says_where_what_helps_is_kept_and_what_is_for_health_staff(
    page: "Page", more: dict[str, list[str]], where: str | None, said: str
) -> None:
    words = {"title": ["T"] * 3, "do": ["Do."] * 3, "dont": ["Not."] * 3} | more
    asked = "([words, where]) => { language = 'en'; return advised(words, where).textContent; }"
    assert page.evaluate(asked, [words, where]) == said
